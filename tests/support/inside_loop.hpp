// Loops in whose iterations tests of nested loops run.
#pragma once

#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace doall::tests {

// Runs act() as an iteration of a loop that can be nested in. The other workers have something to
// do meanwhile: they steal nothing of act()'s loops.
template <class Act>
void inside(int threads, Act act) {
  const thread_scope team(threads);
  std::atomic<bool> done{false};
  parallel_for(
      0, std::max(threads, 2),
      [&](int i) {
        if (i == 0) {
          act();
          done = true;
        }
        while (!done) std::this_thread::yield();
      },
      schedule::dynamic());
}

// The same, and the others steal.
template <class Act>
void among_thieves(int threads, Act act) {
  const thread_scope team(threads);
  parallel_for(
      0, 2,
      [&](int i) {
        if (i == 0) act();
      },
      schedule::lbs(1));
}

// A thread knows its doall_thread after its first loop that the runtime has run. Then one nested
// loop goes there that lets others be run here.
inline void become_known() {
  for (int i = 0; i < 3; ++i) parallel_for(0, 2, [](int) {}, schedule::lbs());
}

}  // namespace doall::tests
