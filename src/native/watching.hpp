// Counts loops that run by stealing, for the report: a body of doall's runs their pieces, counts
// them and calls the program's body. So the paths that run loops count nothing, and a loop that is
// not reported pays one branch where it begins and one for each theft.
#pragma once

#include <memory>

#include "doall/abi.h"
#include "threads/stealing.hpp"

namespace doall::native {

using namespace team;

class watched_loop {
 public:
  // Counts the loop while this object lives. Made by the loop's starter, which has `books`. `how`
  // is the schedule that will run it, `why` its reason.
  watched_loop(stealer& me, const doall_loop& loop, observe::site_kind kind,
               const schedules::spec& how, std::uint32_t workers, observe::reason why);
  ~watched_loop();
  watched_loop(const watched_loop&) = delete;
  watched_loop& operator=(const watched_loop&) = delete;

  // The loop to run in the place of the program's.
  const doall_loop& counting() const { return counting_; }

 private:
  void begin_team(std::uint64_t iterations);
  std::uint32_t tallies() const;

  stealer& me_;
  counted_loop counted_;
  doall_loop counting_;
  std::uint32_t workers_;
  std::unique_ptr<observe::tally[]> team_;  // of the outermost loop
};

}  // namespace doall::native
