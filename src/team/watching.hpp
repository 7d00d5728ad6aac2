// Loops that are stolen from, while somebody wants a report: their pieces are run by a body of
// ours that counts them and calls theirs. So the paths on which they are run have nothing to count,
// and one that is not reported pays a branch where it begins and one for each theft.
#pragma once

#include <memory>

#include "doall/abi.h"
#include "team/stealing.hpp"

namespace doall::team {

class watched_loop {
 public:
  // By its starter, which has `books`, until it has ended. `how` is what will run it.
  watched_loop(stealer& me, const doall_loop& loop, observe::site_kind kind,
               const schedules::spec& how, std::uint32_t workers);
  ~watched_loop();
  watched_loop(const watched_loop&) = delete;
  watched_loop& operator=(const watched_loop&) = delete;

  // The loop to be run in the place of the program's.
  const doall_loop& counting() const { return counting_; }

 private:
  friend const observe::execution* execution_of(const steal::terms& loop);

  static int run_piece(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                       std::uint32_t worker);

  void begin_team(std::uint64_t iterations);
  std::uint32_t tallies() const;

  stealer& me_;
  doall_body body_;
  void* context_;
  doall_loop counting_;
  observe::execution seen_;
  std::uint32_t workers_;
  std::unique_ptr<observe::tally[]> team_;  // of the outermost loop
};

// Null: it is not a watched one.
const observe::execution* execution_of(const steal::terms& loop);

}  // namespace doall::team
