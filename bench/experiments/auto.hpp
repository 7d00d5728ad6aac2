// What `doall bench auto` finds, and what is asked of it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"

namespace doall::bench::auto_choice {

inline constexpr const char* subject = "auto";
inline constexpr const char* learner = "doall learner";

struct choice {
  program_choice programs = {};
  std::vector<std::string> schedules = {};  // besides the subject; none: all
  unsigned search_rounds = 3;
};

// A schedule of ours, or a peer's default, in processes that have learnt nothing.
struct rival {
  std::string name;
  std::string schedule;
  std::vector<double> first_ns = {};  // of a round's calls
  std::vector<double> tenth_ns = {};  // the median of the last ones
};

struct auto_result {
  std::string program;
  double serial_ns = 0;
  std::map<std::string, double> found_ns = {};  // by schedule: the median round of the search
  std::string best;
  std::vector<rival> rivals = {};  // the subject, the best schedule if it is another, the peers

  const rival& ours() const { return rivals.front(); }
  // The subject itself where it was best.
  const rival& best_schedule() const { return best == subject ? rivals[0] : rivals[1]; }
  // Null: it took no part.
  const rival* learnt() const {
    const auto found = std::ranges::find(rivals, learner, &rival::name);
    return found == rivals.end() ? nullptr : &*found;
  }
  const rival* best_peer() const {
    const rival* found = nullptr;
    for (const rival& r : rivals) {
      if (!r.name.starts_with("doall") &&
          (found == nullptr || median_of(r.tenth_ns) < median_of(found->tenth_ns)))
        found = &r;
    }
    return found;
  }
};

struct measurement : outcome {
  choice of = {};
  std::vector<std::string> schedules = {};
  std::vector<auto_result> programs = {};
};

// The subject's time over another's.
inline ratio first_over(const auto_result& r, const rival& other) {
  return ratio_of(r.ours().first_ns, other.first_ns);
}
inline ratio tenth_over(const auto_result& r, const rival& other) {
  return ratio_of(r.ours().tenth_ns, other.tenth_ns);
}

// Over all programs: the subject's time in the search over each schedule's.
struct schedule_mean {
  std::string schedule;
  double mean;
  double least;  // where it beats the subject most: below 1
  double most;
};

// The schedule that is nearest to the subject, or most ahead of it, first.
std::vector<schedule_mean> means_of(const measurement& m);

std::vector<verdict> judge(const measurement& m);

}  // namespace doall::bench::auto_choice
