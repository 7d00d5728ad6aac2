// Lanes that measure lines, one construct of a runtime each. Verbs (lanes/server.hpp has the
// protocol; its offers are the lines' names):
//   check LINE    1, or what is wrong with what the construct does
//   time LINE     nanoseconds a run, one number a batch
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lanes/server.hpp"

namespace doall::bench {

struct line {
  std::string name;
  std::function<void(std::uint64_t runs)> run;
  std::function<bool()> is_right;
};

// Answers the driver until the input ends.
inline void serve_lines(const std::string& library, unsigned threads,
                        const std::vector<line>& lines) {
  const auto line_of = [&](std::istream& words) -> const line& {
    return named(lines, next_of(words), &line::name);
  };
  lane l{.library = library, .threads = threads};
  for (const line& one : lines) l.offers.push_back(one.name);
  l.verbs["check"] = [&](std::istream& words) {
    const line& one = line_of(words);
    if (!one.is_right()) throw std::runtime_error("wrong: " + one.name + " on " + library);
    return in_a_line({1});
  };
  l.verbs["time"] = [&](std::istream& words) {
    return in_a_line(
        time_batches({.warm_up_ns = 3'000'000, .least = 10, .batches = 5}, line_of(words).run));
  };
  serve(l);
}

}  // namespace doall::bench
