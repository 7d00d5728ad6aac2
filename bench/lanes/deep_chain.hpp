// Deep chains: deep(n) forks deep(n - 1) and calls that do nothing, and waits for all.
//
//   pairs    deep(n - 1) and one call
//   loops    a tree search's loop over eight children, of which the first is deep(n - 1)
//
// A level should cost the same at any depth, and a stack that has room for n levels of the serial
// elision should have it for n/4 of ours. Nothing has to overflow for that: the addresses of the
// chain's first and last frame tell what lies between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "lanes/recursion_nests.hpp"

namespace doall::bench {

class deep_chain {
 public:
  explicit deep_chain(std::uint64_t levels) : levels_(levels) {}

  std::uint64_t levels() const { return levels_; }

  void begin();
  void reach_end();
  // What each level adds; its second call.
  static std::uint64_t one();

  // Of stack. 0: the ends lie on the stacks of two threads.
  double bytes_a_level() const;

 private:
  struct place {
    std::uintptr_t address = 0;
    std::uint64_t thread = 0;
  };
  static place here();

  std::uint64_t levels_;
  place first_;
  place last_;
};

// Not inlined into itself: a level is a call, for everybody.
template <class Forks>
[[gnu::noinline]] std::uint64_t deep(const Forks& forks, std::uint64_t levels, deep_chain& chain) {
  if (levels == 0) {
    chain.reach_end();
    return 0;
  }
  std::uint64_t below = 0;
  std::uint64_t own = 0;
  forks.invoke([&] { below = deep(forks, levels - 1, chain); }, [&] { own = deep_chain::one(); });
  return below + own;
}

template <class Forks>
[[gnu::noinline]] std::uint64_t deep_in_loops(const Forks& forks, std::uint64_t levels,
                                              deep_chain& chain) {
  if (levels == 0) {
    chain.reach_end();
    return 0;
  }
  std::array<std::uint64_t, tree_search::children> found{};
  forks.each(found.size(), all_wanted, [&](std::size_t i) {
    found[i] = i == 0 ? deep_in_loops(forks, levels - 1, chain) : deep_chain::one();
  });
  return std::reduce(found.begin(), found.end(), std::uint64_t{0}) - (found.size() - 2);
}

// The serial elision's forms.
inline constexpr const char* serial_pairs = "serial-pairs";
inline constexpr const char* serial_loops = "serial-loops";

// Whether a form is one of a loop: "for", "for,auto", "taskloop"; of the serial elision too.
bool is_loop_form(const std::string& form);

// Returns the number of levels.
template <class Forks>
std::uint64_t run_chain(deep_chain& chain, const Forks& forks, const std::string& form) {
  chain.begin();
  return is_loop_form(form) ? deep_in_loops(forks, chain.levels(), chain)
                            : deep(forks, chain.levels(), chain);
}

struct chain_record {
  double run_ns = 0;  // the median of some runs, or one that took long
  double bytes_a_level = 0;
};

// Calls what a lane is on one thread that has stack for any chain: programs and chains have the
// same caller from begin to end. (libomp 19 fails when callers with tasks come and go.)
int call_on_large_stack(const std::function<int()>& body);

// Runs a chain, on that thread, and checks its answer. Throws wrong_answer.
chain_record time_chain(std::uint64_t levels, const std::function<std::uint64_t(deep_chain&)>& run);

}  // namespace doall::bench
