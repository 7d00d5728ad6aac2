// The lines of `doall bench omp`: OpenMP's constructs as EPCC's micro-benchmarks have them (Bull,
// EWOMP 1999; Bull, O'Neill, IWOMP 2001; Bull, Reid, McDonnell, IWOMP 2012), written anew. Where
// EPCC calls a delay and subtracts its time again, the body is empty here: what is timed is the
// construct. A *run* is a construct met once by each thread of a team, which for constructs inside
// of a region is entered once a batch.
//
// A construct is a function of a body and of a number of runs. With `empty` for a body it is timed,
// with one that counts it is checked: how often the body ran, and, where threads exclude each other
// or copies are made, by plain variables.
#pragma once

#include <omp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/sync.hpp"
#include "lanes/lines_lane.hpp"

namespace doall::bench {

using runs_number = std::uint64_t;

// The body that is timed.
struct empty {
  static void run() { asm volatile(""); }
  static void expect(std::uint64_t found, std::uint64_t) { asm volatile("" : : "r"(found)); }
};

// Bodies that count. `expect` notes when something is not as it must be.
struct checking {
  static inline sync::atomic<bool> is_wrong{false};
  static void expect(std::uint64_t found, std::uint64_t wanted) {
    if (found != wanted) is_wrong = true;
  }
};
struct counting : checking {
  static inline sync::atomic<std::uint64_t> bodies{0};
  static void run() { ++bodies; }
};
// Of bodies that exclude each other.
struct excluding : checking {
  static inline std::uint64_t bodies = 0;
  static void run() { ++bodies; }
};

// `a_run`: how often the body runs in each.
template <class Counting = counting, class Construct>
line make_line(std::string name, std::uint64_t a_run, Construct construct) {
  const auto is_right = [=] {
    constexpr runs_number runs = 300;
    Counting::bodies = 0;
    Counting::is_wrong = false;
    construct(Counting(), runs);
    return Counting::bodies == runs * a_run && !Counting::is_wrong;
  };
  return {std::move(name), [=](runs_number runs) { construct(empty(), runs); }, is_right};
}

// Of teams of `threads`, a group each; their names begin with the group's and a slash.
std::vector<line> construct_lines(unsigned threads);
std::vector<line> schedule_lines(unsigned threads);
std::vector<line> array_lines(unsigned threads);
std::vector<line> task_lines(unsigned threads);
// Processes of the lane's runtime.
std::vector<line> process_lines();

}  // namespace doall::bench
