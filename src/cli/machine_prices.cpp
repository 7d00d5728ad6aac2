// doall calibrate --machine: what loops cost here besides their iterations, as the simulator has
// it:
//
//   again     a chunk from the queue of all, asked for by one thread: the line is in its cache
//   central   the same where another thread was last: two threads draw in turns, and compute
//   between
//             two chunks for longer than the other needs at the queue, so that each waits for the
//             line and not for the other
//   served    an iteration under dynamic,1 on all workers if it does nothing: how fast the queue
//             serves workers that wait for it. Less than central: a core that has the line takes
//             several chunks before the next one gets it.
//   messages  an empty loop's launch and join, over the messages that follow each other in it
//
// A claim on another worker's queue, or on one's own after a thief, waits for a line that another
// core wrote last, as one on the queue of all does: `stolen` and `own` are `central`. Other
// programs only slow runs down, so of many runs the lower quartile counts; for `central` the
// fastest one of those in which nearly every chunk was drawn after one of the other thread's:
// beside other programs the two are seldom there at once, and then no line moves. If they never
// are, it is a message's. Not told apart: messages, and queues, within a socket and between two.
// How it was found: docs/investigations/2026-11-26-what-a-queue-costs.md.
#include "cli/machine_prices.hpp"

#include <fmt/format.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "base/sync.hpp"
#include "process/result_file.hpp"
#include "schedule/grammar.hpp"
#include "sim/launch.hpp"

namespace doall::cli {
namespace {

constexpr int runs = 41;
constexpr double ns_in_us = 1'000;

// What runs take, in nanoseconds.
class times {
 public:
  void add(double ns) { all_ns_.push_back(ns); }
  double fastest() const { return std::ranges::min(all_ns_); }
  double quartile() const {
    std::vector<double> sorted = all_ns_;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 4];
  }

 private:
  std::vector<double> all_ns_;
};

// An iteration that computes for so many additions, one after the other.
void compute(std::int64_t additions) {
  for (std::int64_t k = 0; k < additions; ++k) asm volatile("" : "+r"(k));
}

// Loops whose iterations do nothing, one after the other `loops` times: what one takes.
times time_loops(std::uint32_t workers, std::int64_t iterations, const std::string& how,
                 int loops) {
  const thread_scope team(workers);
  const schedule by(how);
  times all;
  for (int run = 0; run <= runs; ++run) {
    const std::uint64_t begin_ns = base::now_ns();
    for (int k = 0; k < loops; ++k) {
      parallel_for(
          std::int64_t{0}, iterations, [](std::int64_t i) { asm volatile("" ::"r"(i)); }, by);
    }
    const auto took_ns = static_cast<double>(base::now_ns() - begin_ns);
    if (run > 0) all.add(took_ns / loops);  // the first one wakes the threads
  }
  return all;
}

std::string in_blocks() { return schedules::to_text({&schedules::for_uniform_blocks(), {}}); }

// An iteration at a time, from the queue of all.
schedules::spec by_ones() {
  return {&schedules::for_runtime_loops(), schedules::params::of_first(1)};
}

// The queue of all, by chunks of one iteration, as threads ask it.
class queue {
 public:
  // What one thread got.
  struct draws {
    std::uint64_t chunks = 0;
    std::uint64_t taken_over = 0;  // of those, after one of another thread's
    double ns = 0;                 // each
  };

  explicit queue(std::uint32_t workers) : lines_(workers) {
    how_.run().construct(
        object_, {.shape = {iterations, workers}, .given = how_.given, .lines = lines_.data()});
  }

  draws empty(std::uint32_t worker, std::int64_t additions) {
    draws mine;
    std::uint64_t expected = 0;
    const std::uint64_t begin_ns = base::now_ns();
    for (schedules::worker me{worker};; ++me.turn) {
      const schedules::chunk given = how_.run().next(object_, me, {});
      if (given.empty()) break;
      mine.taken_over += given.begin == expected ? 0 : 1;
      expected = given.end;
      ++mine.chunks;
      compute(additions);
    }
    const auto took_ns = static_cast<double>(base::now_ns() - begin_ns);
    mine.ns = took_ns / static_cast<double>(std::max<std::uint64_t>(mine.chunks, 1));
    return mine;
  }

 private:
  static constexpr std::uint64_t iterations = 1'000;

  schedules::spec how_ = by_ones();
  alignas(base::apart_bytes) std::byte object_[schedules::object_bytes];
  std::vector<schedules::worker_line> lines_;
};

times time_alone(std::int64_t additions) {
  times all;
  for (int run = 0; run < runs; ++run) all.add(queue(1).empty(0, additions).ns);
  return all;
}

// Two threads, that begin together.
queue::draws draw_in_turns(std::int64_t additions) {
  queue shared(2);
  sync::atomic<bool> is_there{false};
  sync::atomic<bool> begins{false};
  std::thread other([&] {
    is_there.store(true);
    while (!begins.load()) {
    }
    shared.empty(1, additions);
  });
  while (!is_there.load()) sync::yield();
  begins.store(true);
  const queue::draws mine = shared.empty(0, additions);
  other.join();
  return mine;
}

// None: the two threads were never there at once.
std::optional<double> central_ns() {
  constexpr int pairs = 400;  // of threads
  constexpr std::int64_t additions = 500;
  constexpr double nearly_all = 0.9;
  const double alone_ns = time_alone(additions).fastest();
  double least_ns = alone_ns;
  double best_part = 0;
  for (int run = 0; run < pairs; ++run) {
    const queue::draws mine = draw_in_turns(additions);
    if (mine.chunks == 0) continue;
    const double part = std::min(
        static_cast<double>(mine.taken_over) / static_cast<double>(mine.chunks), nearly_all);
    if (part < best_part) continue;
    least_ns = part > best_part ? mine.ns : std::min(least_ns, mine.ns);
    best_part = part;
  }
  constexpr double enough = 0.5;
  if (best_part < enough) return std::nullopt;
  return least_ns - alone_ns;
}

double served_ns(std::uint32_t workers) {
  constexpr std::int64_t iterations = 20'000;
  return time_loops(workers, iterations, schedules::to_text(by_ones()), 1).quartile() / iterations;
}

// How many messages follow each other in a launch and a join.
double messages_in_a_row(std::uint32_t workers) {
  sim::launch counted(workers, workers, {.near = 1, .far = 1});
  return counted.joined(counted.begins());
}

}  // namespace

std::string measured_machine() {
  const std::uint32_t workers = doall_threads();
  constexpr int loops = 200;
  show_progress("measuring a queue");
  const double again_us = time_alone(0).quartile() / ns_in_us;
  std::string text = fmt::format(
      "// This machine's prices, in microseconds: written by 'doall calibrate --machine'.\n{{\n"
      "  \"processors\": {},\n",
      workers);
  double central_us = again_us;
  double served_us = again_us;
  if (workers > 1) {
    show_progress("measuring empty loops");
    const double burden_us = time_loops(workers, workers, in_blocks(), loops).quartile() / ns_in_us;
    const double message_us = burden_us / messages_in_a_row(workers);
    // A message is a line that another core wrote last, too.
    const std::optional<double> line_ns = central_ns();
    central_us = std::max(again_us, line_ns ? *line_ns / ns_in_us : message_us);
    served_us = std::clamp(served_ns(workers) / ns_in_us, again_us, central_us);
    text += fmt::format(
        "  // An empty loop takes {:.3f} us.\n"
        "  \"messages\": {{\"near\": {:.4f}, \"far\": {:.4f}}},\n",
        burden_us, message_us, message_us);
  }
  show_progress("");
  text += fmt::format(
      "  \"sync\": {{\"own\": {:.4f}, \"central\": {:.4f}, \"stolen\": {:.4f}, \"again\": {:.4f}, "
      "\"served\": {:.4f}}}\n"
      "}}\n",
      central_us, central_us, central_us, again_us, served_us);
  return text;
}

}  // namespace doall::cli
