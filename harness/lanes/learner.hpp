// A bandit over schedules: each loop of the source learns from its own times which schedule suits
// it. It is what `doall bench auto` sets against rules that explore nothing.
//
// As Auto4OMP has them (Mohammed, Korndörfer, Eleliemy, Ciorba: "Automated Scheduling Algorithm
// Selection and Chunk Parameter Calculation in OpenMP", IEEE TPDS 33, 2022): the arms are whole
// schedules, a trial is an execution of the loop, the price its wall time. First every arm once,
// in the order given; then the arm with the least mean, but in one execution of explore_every the
// one that was tried least. Means fall by halves with age, so that it follows a loop that changes.
//
// Of nests the outermost loops learn; those inside run by the default. One calling thread.
// Cost of an execution: a look at a map and two at the clock.
#pragma once

#include <doall/doall.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace doall::bench {

class learner {
  struct trials {
    double mean_ns = 0;
    std::uint64_t count = 0;
  };

 public:
  // An execution of a loop: by which options; it ends with this object.
  class trial {
   public:
    trial(trials& arm, loop_options options) : arm_(arm), options_(std::move(options)) {}
    ~trial() {
      const std::chrono::duration<double, std::nano> took = clock::now() - began_;
      arm_.mean_ns = arm_.count == 0 ? took.count() : (arm_.mean_ns + took.count()) / 2;
      ++arm_.count;
    }
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    operator const loop_options&() const { return options_; }

   private:
    using clock = std::chrono::steady_clock;
    trials& arm_;
    loop_options options_;
    clock::time_point began_ = clock::now();
  };

  // `texts`: schedules, parted by ';'. Throws std::invalid_argument.
  explicit learner(const std::string& texts) {
    for (std::size_t begin = 0; begin <= texts.size();) {
      const std::size_t end = std::min(texts.find(';', begin), texts.size());
      arms_.emplace_back(texts.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  trial at(const std::source_location& where) {
    std::vector<trials>& known = sites_[{where.file_name(), where.line()}];
    known.resize(arms_.size());
    const std::size_t arm = next_of(known);
    // In any order, as every lane of that comparison.
    return {known[arm], {.how = arms_[arm], .order = reduce_order::any}};
  }
  static const loop_options& inside() {
    static const loop_options by_default{.order = reduce_order::any};
    return by_default;
  }

 private:
  static constexpr std::uint64_t explore_every = 16;

  static std::size_t next_of(const std::vector<trials>& known) {
    std::uint64_t executions = 0;
    for (const trials& arm : known) executions += arm.count;
    const auto least_tried = std::ranges::min_element(known, {}, &trials::count);
    if (least_tried->count == 0 || executions % explore_every == 0)
      return static_cast<std::size_t>(least_tried - known.begin());
    return static_cast<std::size_t>(std::ranges::min_element(known, {}, &trials::mean_ns) -
                                    known.begin());
  }

  std::vector<schedule> arms_;
  std::map<std::pair<std::string, std::uint32_t>, std::vector<trials>> sites_;
};

}  // namespace doall::bench
