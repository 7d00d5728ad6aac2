// Kernels' loops through the native door; lanes/serial.hpp says what the members do. `Ways` says by
// which options a loop runs:
//   at(where)   the options of a loop there, or what converts to them and lives while it runs
//   inside()    those of a loop inside another
//
// LBS's sums are of integers, the same bits in any order: so whoever measures nests allows it,
// options.order = reduce_order::any, as the peers' reductions have it. To keep the order that
// is fixed, a row of some hundred non-zeros would be cut into 256 blocks.
#pragma once

#include <doall/doall.hpp>

#include <functional>

#include "lanes/serial.hpp"

namespace doall::bench {

// One set of options for all loops, outer and inner.
struct same_options {
  const loop_options& options;

  const loop_options& at(const std::source_location&) const { return options; }
  const loop_options& inside() const { return options; }
};

template <class Ways>
struct native_loops {
  Ways ways;

  using site = std::source_location;

  template <class Index, class Body>
  void each(Index count, const Body& body, const site& where = site::current()) const {
    parallel_for(Index{0}, count, body, ways.at(where), where);
  }
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, const site& where = site::current()) const {
    parallel_for(first, last, body, ways.at(where), where);
  }
  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, running_sums costs,
            const site& where = site::current()) const {
    const auto& way = ways.at(where);
    loop_options told = way;
    told.costs = costs;
    parallel_for(first, last, body, told, where);
  }
  // The schedule's own order=reverse is what deals backward.
  template <class Index, class Body>
  void each_backward(Index count, const Body& body, running_sums costs,
                     const site& where = site::current()) const {
    each(Index{0}, count, body, costs, where);
  }
  // By the default schedule.
  template <class Body>
  void each_uneven(std::size_t count, const Body& body, const site& where = site::current()) const {
    parallel_for(std::size_t{0}, count, body, loop_options{}, where);
  }

  template <class Index, class Body>
  auto sum(Index count, const Body& body, const site& where = site::current()) const {
    return parallel_reduce(Index{0}, count, decltype(body(count)){}, body, std::plus<>(),
                           ways.at(where), where);
  }
  // A body that takes a range adds all of it to one array.
  template <class Array, class Add, class Merge>
  Array sum_array(std::size_t count, const Add& add, const Merge& merge,
                  const site& where = site::current()) const {
    return parallel_reduce(
        std::size_t{0}, count, Array{},
        [&](range<std::size_t> part) {
          Array values{};
          for (const std::size_t i : part) add(values.data(), i);
          return values;
        },
        [&merge](Array values, const Array& others) {
          merge(values, others);
          return values;
        },
        ways.at(where), where);
  }
  template <class Index, class Body>
  double least(Index first, Index last, const Body& body,
               const site& where = site::current()) const {
    return parallel_reduce(
        first, last, std::numeric_limits<double>::infinity(), body,
        [](double a, double b) { return std::min(a, b); }, ways.at(where), where);
  }

  template <class Body>
  void outer(std::size_t count, const Body& body, const site& where = site::current()) const {
    ranges(count, body, ways.at(where), where);
  }
  template <class Body>
  void inner(std::size_t count, const Body& body, const site& where = site::current()) const {
    ranges(count, body, ways.inside(), where);
  }
  template <takes_range Body>
  auto inner_sum(std::size_t count, const Body& body, const site& where = site::current()) const {
    using value = std::invoke_result_t<const Body&, std::size_t, std::size_t>;
    return parallel_reduce(
        std::size_t{0}, count, value{},
        [&body](range<std::size_t> part) { return body(part.first(), part.last()); }, std::plus<>(),
        ways.inside(), where);
  }
  static std::size_t workers() { return doall_threads(); }

  template <class Body>
  static void ranges(std::size_t count, const Body& body, const loop_options& options,
                     const site& where) {
    parallel_for(
        std::size_t{0}, count,
        [&body](range<std::size_t> part) { run_part(body, part.first(), part.last()); }, options,
        where);
  }
};

using doall_loops = native_loops<same_options>;

// Loops of which nothing is said but the options: neither costs nor that they are uneven.
template <class Ways>
struct silent_loops : native_loops<Ways> {
  using plain = native_loops<Ways>;
  using site = std::source_location;
  using plain::each;

  template <class Index, class Body>
  void each(Index first, Index last, const Body& body, running_sums,
            const site& where = site::current()) const {
    plain::each(first, last, body, where);
  }
  template <class Body>
  void each_uneven(std::size_t count, const Body& body, const site& where = site::current()) const {
    plain::each(count, body, where);
  }
};

// What follows a schedule's name where a loop may combine in any order.
inline constexpr const char* any_order = "/any";

// "SCHEDULE" or "SCHEDULE/any"; the schedule `default` is the one that nobody names.
// Throws std::invalid_argument.
inline loop_options options_from(std::string text) {
  loop_options options;
  if (text.ends_with(any_order)) {
    options.order = reduce_order::any;
    text.resize(text.size() - std::string(any_order).size());
  }
  if (text != "default") options.how = schedule(text);
  return options;
}

}  // namespace doall::bench
