// Through the native door, with what a user would tell of costs; cows_loops.hpp says what the
// members do. All schedules are told the same; those that do not use costs do not read it.
//
// A run's costs are a cost_table of its own: they are summed up once a run, as in a program that
// runs once, whatever earlier runs on the same graph have left.
#pragma once

#include <doall/doall.hpp>

#include <functional>
#include <source_location>
#include <stdexcept>
#include <utility>

#include "kernels/cows_kernel.hpp"
#include "lanes/paper_schedule.hpp"

namespace doall::bench {

// A schedule, and which of COWS's optimisations are left to it (section IV, Figure 19). Opt4, the
// bisection for the cut, is the schedule's own.
struct cows_setting {
  std::string schedule;
  bool opt1 = true;  // sums are kept. Without: made anew for each loop
  bool opt2 = true;  // uniform loops are known to be. Without: wsrw, by sums that are all but so
  bool opt3 = true;  // guarded loops are known to be. Without: wsrw, by what they cost unguarded
};

// From a schedule's text: "wsrw-opt1" is wsrw without Opt1, "wsrw-none" without all four.
// Throws std::invalid_argument for others that begin so.
inline cows_setting setting_of(const std::string& text) {
  cows_setting made{.schedule = text};
  if (!text.starts_with("wsrw-")) return made;
  const std::string without = text.substr(text.find('-') + 1);
  const bool none = without == "none";
  made = {.schedule = without == "opt4" || none ? "wsrw,cut=walk" : "wsrw",
          .opt1 = without != "opt1" && !none,
          .opt2 = without != "opt2" && !none,
          .opt3 = without != "opt3" && !none};
  if (made.opt1 && made.opt2 && made.opt3 && made.schedule == "wsrw") {
    throw std::invalid_argument(
        "no setting \"" + text +
        "\", expected wsrw-opt1, wsrw-opt2, wsrw-opt3, wsrw-opt4 or wsrw-none; "
        "nothing was run");
  }
  return made;
}

// Running sums of as many iterations that cost 1 each, but for the first: of costs that are all the
// same the runtime would find that out. Valid until the next call.
inline std::span<const std::uint64_t> nearly_uniform_sums(std::size_t count) {
  static std::vector<std::uint64_t> sums{0};
  while (sums.size() <= count) sums.push_back(sums.size() + 1);
  return std::span(sums).first(count + 1);
}

class native_cows_loops {
 public:
  native_cows_loops(const std::string& text, std::span<const std::uint64_t> row_pointer)
      : native_cows_loops(setting_of(text), row_pointer) {}

  // They count in the type of `count`, as parallel_for does.
  template <class Index, class Body>
  void each(loop_kind kind, const char*, Index count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    parallel_for(Index{0}, count, body, of(kind), where);
  }

  template <class Index, class Body>
  auto sum(const char*, Index count, const Body& body,
           const std::source_location& where = std::source_location::current()) const {
    return parallel_reduce(Index{0}, count, decltype(body(count)){}, body, std::plus<>(),
                           of(loop_kind::uniform), where);
  }

 private:
  native_cows_loops(const cows_setting& asked, std::span<const std::uint64_t> row_pointer)
      : asked_(asked),
        degrees_(row_pointer),
        units_(asked.opt2 ? uniform_costs() : nearly_uniform_sums(row_pointer.size() - 1)),
        uniform_{.how = paper_schedule(asked.schedule), .costs = units_},
        costed_{.how = uniform_.how, .costs = degrees_},
        guarded_{.how = uniform_.how, .costs = loop_costs(row_pointer).guarded()} {}

  // Of the next loop.
  const loop_options& of(loop_kind kind) const {
    if (!asked_.opt1) forget();
    switch (kind) {
      case loop_kind::uniform: return uniform_;
      case loop_kind::costed: return costed_;
      case loop_kind::guarded: return asked_.opt3 ? guarded_ : costed_;
    }
    return uniform_;
  }

  // What earlier loops were told.
  void forget() const {
    degrees_.changed();
    costed_.costs = degrees_;
    units_.changed();
    uniform_.costs = units_;
  }

  cows_setting asked_;
  // Changed by loops without Opt1.
  mutable cost_table degrees_;
  mutable cost_table units_;
  mutable loop_options uniform_;
  mutable loop_options costed_;
  loop_options guarded_;
};

}  // namespace doall::bench
