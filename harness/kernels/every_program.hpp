// What `auto` is measured on: the programs of all papers, but the inputs that take minutes, and the
// loop that differs from another by the order alone that its schedule is given.
#pragma once

#include <concepts>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cows_programs.hpp"
#include "kernels/programs.hpp"

namespace doall::bench {

// A lane's loops for COWS's kernels (cows_kernel.hpp), of which nothing is said: neither their kind
// nor their costs.
template <class Loops>
struct silent_cows_loops {
  const Loops& loops;

  template <class Index, class Body>
  void each(loop_kind, const char*, Index count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    if constexpr (requires { loops.each(count, body, where); }) {
      loops.each(count, body, where);
    } else {
      loops.each(count, body);
    }
  }
  template <class Index, class Body>
  auto sum(const char*, Index count, const Body& body,
           const std::source_location& where = std::source_location::current()) const {
    if constexpr (requires { loops.sum(count, body, where); }) {
      return loops.sum(count, body, where);
    } else {
      return loops.sum(count, body);
    }
  }
};

// Any of their kernels.
template <class Kernel, class Loops>
void run_silently(Kernel& k, const Loops& loops) {
  if constexpr (std::derived_from<Kernel, cows_kernel>) {
    run(k, silent_cows_loops<Loops>{loops});
  } else {
    run(k, loops);
  }
}

// door(k) runs the loops of any kernel k, nested(k) those of nests. COWS's run on the Kronecker
// graph, its vertices in the order in which they are made.
template <class Door, class Nested>
std::vector<program> every_program(Door door, Nested nested, size s) {
  std::vector<program> all = programs(door);
  std::erase_if(all, [](const program& p) { return p.name == reversed_program; });
  const auto append = [&all](std::vector<program> more, const std::string& prefix = "") {
    for (program& p : more) {
      if (p.name.ends_with("-A")) continue;
      p.name = prefix + p.name;
      all.push_back(std::move(p));
    }
  };
  append(fine_programs(door, ""));
  append(hybrid_programs(door));
  append(nested_programs(nested));
  append(cows_programs(door, {{.name = kronecker_name(s), .file = ""}}), "cows-");
  return all;
}

}  // namespace doall::bench
