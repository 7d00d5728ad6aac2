// What a kernel is: the data of a program, and the iterations of its parallel
// loops. Its header ends with run(k, loops), which has the order of the loops for
// any runtime (lanes/serial.hpp). An iteration is compiled once and linked into every lane:
// all runtimes run the same machine code.
#pragma once

#include <doall/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace doall::bench {

// Where iterations live: what part of them run on the thread that ran them the
// last time their loop was executed (AFS's affinity), and how often each has run.
class residence {
 public:
  // `lengths`: of the program's loops, in iterations.
  explicit residence(const std::vector<std::size_t>& lengths) {
    for (const std::size_t length : lengths) loops_.emplace_back(length);
  }

  // By the thread that runs the iteration. An iteration's slot has one writer at
  // a time: executions of a loop come one after the other.
  void note(std::size_t loop, std::size_t iteration) {
    static thread_local char own_address;
    slot& s = loops_[loop][iteration];
    s.stayed += s.last_on == &own_address;
    ++s.runs;
    s.last_on = &own_address;
  }

  // Of all executions of iterations but each one's first; 0 when there are none.
  double stayed_part() const {
    std::uint64_t stayed = 0;
    std::uint64_t again = 0;
    for (const auto& loop : loops_) {
      for (const slot& s : loop) {
        stayed += s.stayed;
        again += s.runs > 0 ? s.runs - 1 : 0;
      }
    }
    return again == 0 ? 0 : static_cast<double>(stayed) / static_cast<double>(again);
  }

  // How often each iteration has run, loop by loop.
  std::vector<std::uint32_t> runs() const {
    std::vector<std::uint32_t> all;
    for (const auto& loop : loops_) {
      for (const slot& s : loop) all.push_back(s.runs);
    }
    return all;
  }

 private:
  struct slot {
    const char* last_on = nullptr;  // a thread, by the address of its own variable
    std::uint32_t runs = 0;
    std::uint32_t stayed = 0;
  };
  std::vector<std::vector<slot>> loops_;
};

// How a program's time divides between fine loops, over vertices, and coarse ones, over
// edges: what fine-grain's Table 3 and Figure 15 tell apart.
class loop_times {
 public:
  void add(double ns) {
    ++loops_;
    short_ += ns < short_ns ? 1 : 0;
    sum_ns_ += ns;
    least_ns_ = std::min(least_ns_, ns);
    most_ns_ = std::max(most_ns_, ns);
  }

  std::size_t loops() const { return loops_; }
  std::size_t short_loops() const { return short_; }  // under 0.1 ms
  double sum_ns() const { return sum_ns_; }
  double least_ns() const { return least_ns_; }  // infinite when there are none
  double most_ns() const { return most_ns_; }

 private:
  static constexpr double short_ns = 100'000;

  std::size_t loops_ = 0;
  std::size_t short_ = 0;
  double sum_ns_ = 0;
  double least_ns_ = std::numeric_limits<double>::infinity();
  double most_ns_ = 0;
};

// Of one run.
struct times_of_loops {
  loop_times fine;
  loop_times coarse;
};

// The paper's sizes, and some that a test runs in a moment.
enum class size { small, paper };

class kernel {
 public:
  virtual ~kernel() = default;
  kernel(const kernel&) = delete;
  kernel& operator=(const kernel&) = delete;

  // Puts the input in place, before each run.
  virtual void reset() = 0;

  // What a run has computed: the same bits, whoever ran what.
  virtual std::span<const std::byte> answer() const = 0;

  // Whether that passes the test which the program's specification asks for; true: none is
  // asked for.
  virtual bool verified() const { return true; }

  // The parallel loops that the program has, each by its number of iterations.
  virtual std::vector<std::size_t> loop_lengths() const = 0;

  // Of the last run; null: the program does not tell fine loops from coarse ones.
  virtual const times_of_loops* times() const { return nullptr; }

  // Writes down who runs what from now on; null: no longer. Not for timed runs.
  void watch(residence* log) { watch_ = log; }

 protected:
  kernel() = default;

  // Every iteration begins with it: of timed runs it is one branch, for every runtime.
  void note(std::size_t loop, std::size_t iteration) const {
    if (watch_ != nullptr) [[unlikely]]
      watch_->note(loop, iteration);
  }
  // The same of iterations [first, last).
  void note(std::size_t loop, std::size_t first, std::size_t last) const {
    if (watch_ == nullptr) [[likely]]
      return;
    for (std::size_t i = first; i < last; ++i) watch_->note(loop, i);
  }

 private:
  residence* watch_ = nullptr;
};

// Prefix sums of known costs, as best-static takes them: 0, c0, c0 + c1, ...
template <class Cost>
std::vector<std::uint64_t> sums_of(std::size_t iterations, Cost cost) {
  std::vector<std::uint64_t> sums(iterations + 1);
  for (std::size_t i = 0; i < iterations; ++i) sums[i + 1] = sums[i] + cost(i);
  return sums;
}

inline std::vector<std::uint64_t> equal_cost_sums(std::size_t iterations) {
  return sums_of(iterations, [](std::size_t) { return 1; });
}

// On one thread, compiled once (lanes/serial.cpp). A kernel may have an overload, another algorithm
// with the same answer.
template <class Kernel>
void run_serial(Kernel& k);

// A program that lanes offer: a kernel with its input, and how its loops are run.
struct program {
  std::string name;
  std::string imbalance;  // in the words of AFS's Table 1
  std::string affinity;
  std::function<std::unique_ptr<kernel>(size)> make;
  std::function<void(kernel&)> serial;    // for kernels that `make` has made
  std::function<void(kernel&)> parallel;  // likewise; through one door, on its schedule of now
  bool reduces = false;                   // is a reduction, so that its order can be chosen
};

template <class Kernel, class Door, class... Input>
program make_program(std::string name, std::string imbalance, std::string affinity, Door door,
                     Input... input) {
  return {std::move(name),
          std::move(imbalance),
          std::move(affinity),
          [input...](size s) { return std::make_unique<Kernel>(s, input...); },
          [](kernel& k) { run_serial(static_cast<Kernel&>(k)); },
          [door](kernel& k) { door(static_cast<Kernel&>(k)); }};
}

// hybrid, section V: every runtime takes chunks of the same size, min(2048, N/8P).
inline std::size_t chunk_of(std::size_t iterations, std::size_t workers) {
  constexpr std::size_t chunk_max = 2048;
  constexpr std::size_t chunks_a_worker = 8;
  return std::clamp<std::size_t>(iterations / (chunks_a_worker * workers), 1, chunk_max);
}

// That of kernel k for so many workers.
template <class Kernel>
std::size_t chunk_for(const Kernel& k, unsigned workers) {
  if constexpr (requires { k.chunk(workers); }) {
    return k.chunk(workers);
  } else {
    return chunk_of(static_cast<std::size_t>(k.iterations()), workers);
  }
}

// "NAME,chunk" with that chunk; other texts as they are.
template <class Kernel>
std::string with_chunk_of(const Kernel& k, unsigned workers, const std::string& text) {
  constexpr const char* word = "chunk";
  if (!text.ends_with(std::string(",") + word)) return text;
  return text.substr(0, text.rfind(word)) + std::to_string(chunk_for(k, workers));
}

}  // namespace doall::bench
