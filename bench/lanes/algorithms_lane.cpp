#include "lanes/algorithms_lane.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/clock.hpp"
#include "base/rng.hpp"
#include "lanes/server.hpp"

namespace doall::bench {
namespace {

constexpr int warm_calls = 1;
constexpr int calls = 3;
constexpr std::size_t many = 1'000'000;  // elements of which one call says enough

int calls_of(std::size_t elements) { return elements > many ? 1 : calls; }

algorithms serial() {
  return {
      "serial",
      [](std::span<int> x) { std::sort(x.begin(), x.end()); },
      [](std::span<double> x) { std::sort(x.begin(), x.end()); },
      [](std::span<std::string> x) { std::sort(x.begin(), x.end()); },
      [](auto from, auto to) { std::partial_sum(from.begin(), from.end(), to.begin()); },
      [](auto from, auto to) { std::partial_sum(from.begin(), from.end(), to.begin()); },
      serial_forms(),
  };
}

// Whole numbers, so that sums of doubles are exact in any order.
template <class T>
std::vector<T> numbers(std::size_t elements, std::uint64_t below) {
  base::rng random(1);
  std::vector<T> made(elements);
  for (T& x : made) x = static_cast<T>(random.below(below));
  return made;
}

std::vector<std::string> texts(std::size_t elements) {
  base::rng random(1);
  std::vector<std::string> made(elements);
  for (std::string& x : made) x = std::to_string(random.next());
  return made;
}

// Times calls of run(to), where `to` is as `before` at first, and must be as `after` at last.
template <class T, class Run>
std::vector<double> timed(const std::vector<T>& before, const std::vector<T>& after,
                          const Run& run) {
  std::vector<double> times_ns;
  for (int call = -warm_calls; call < calls_of(before.size()); ++call) {
    std::vector<T> to = before;
    const std::uint64_t begin_ns = base::now_ns();
    run(to);
    if (call >= 0) times_ns.push_back(static_cast<double>(base::now_ns() - begin_ns));
    if (to != after) throw std::runtime_error("wrong: the result differs from the serial one");
  }
  return times_ns;
}

// What an algorithm is given and what it makes of it.
template <class T>
struct sample {
  std::vector<T> before;
  std::vector<T> after;
};

// Made once for all rounds. `make` returns the numbers, `solve` does serially what is timed.
template <class T, class Make, class Solve>
const sample<T>& sample_of(const std::string& algorithm, std::size_t n, Make make, Solve solve) {
  static std::map<std::pair<std::string, std::size_t>, sample<T>> all;
  const auto [at, is_new] = all.try_emplace({algorithm, n});
  if (is_new) {
    at->second.after = at->second.before = make(n);
    solve(at->second.after);
  }
  return at->second;
}

std::function<void(work&)> named_form(const std::string& name) {
  const forms all = serial_forms();
  const auto found = all.find(name);
  if (found == all.end()) throw std::runtime_error("no algorithm is named " + name);
  return found->second;
}

template <class T, class Make, class Sort>
std::vector<double> timed_sort(const std::string& algorithm, std::size_t n, Make make,
                               const Sort& sort) {
  const auto solve = [](std::vector<T>& x) { std::sort(x.begin(), x.end()); };
  const sample<T>& x = sample_of<T>(algorithm, n, make, solve);
  return timed(x.before, x.after, [&](std::vector<T>& to) { sort(std::span(to)); });
}

template <class T, class Scan>
std::vector<double> timed_scan(const std::string& algorithm, std::size_t n, const Scan& scan) {
  const auto solve = [](std::vector<T>& x) { std::partial_sum(x.begin(), x.end(), x.begin()); };
  const auto make = [](std::size_t elements) { return numbers<T>(elements, 100); };
  const sample<T>& x = sample_of<T>(algorithm, n, make, solve);
  return timed(std::vector<T>(n), x.after,
               [&](std::vector<T>& to) { scan(std::span(x.before), std::span(to)); });
}

std::vector<double> timed_form(const std::function<void(work&)>& run, const std::string& name,
                               std::size_t n) {
  static std::map<std::pair<std::string, std::size_t>, std::pair<work, work>> all;
  const auto [at, is_new] = all.try_emplace({name, n});
  auto& [before, after] = at->second;
  if (is_new) {
    before = after = work_for(name, n);
    named_form(name)(after);
  }
  std::vector<double> times_ns;
  for (int call = -warm_calls; call < calls_of(n); ++call) {
    work to = before;
    const std::uint64_t begin_ns = base::now_ns();
    run(to);
    if (call >= 0) times_ns.push_back(static_cast<double>(base::now_ns() - begin_ns));
    if (to != after)
      throw std::runtime_error(name + ": wrong: the result differs from the serial one");
  }
  if (n > many) all.erase(at);
  return times_ns;
}

std::vector<double> time_of(const algorithms& by, const std::string& name, std::size_t n) {
  const auto any = [](std::size_t elements) {
    return numbers<int>(elements, std::uint64_t{1} << 31);
  };
  const auto few = [](std::size_t elements) { return numbers<int>(elements, 4); };
  const auto reals = [](std::size_t elements) {
    return numbers<double>(elements, std::uint64_t{1} << 40);
  };
  if (name == "sort-int") return timed_sort<int>(name, n, any, by.sort_ints);
  if (name == "sort-few") return timed_sort<int>(name, n, few, by.sort_ints);
  if (name == "sort-double") return timed_sort<double>(name, n, reals, by.sort_doubles);
  if (name == "sort-text") return timed_sort<std::string>(name, n, texts, by.sort_texts);
  if (name == "scan-int") return timed_scan<int>(name, n, by.scan_ints);
  if (name == "scan-double") return timed_scan<double>(name, n, by.scan_doubles);
  const auto form = by.more.find(name);
  return form == by.more.end() ? std::vector<double>{0.0} : timed_form(form->second, name, n);
}

}  // namespace

void serve_algorithms(const algorithms_lane& a) {
  const algorithms alone = serial();
  lane l{.library = a.library, .threads = a.threads};
  for (const algorithms& one : a.offered) l.offers.push_back(one.schedule);
  l.verbs["time"] = [&](std::istream& words) {
    const std::string schedule = next_of(words);
    const algorithms& chosen =
        schedule == alone.schedule ? alone : named(a.offered, schedule, &algorithms::schedule);
    const std::string algorithm = next_of(words);
    const auto elements = next_of<std::size_t>(words);
    std::vector<double> times_ns;
    a.enter([&] { times_ns = time_of(chosen, algorithm, elements); });
    return in_a_line(times_ns);
  };
  serve(l);
}

}  // namespace doall::bench
