// A machine whose processors have store buffers, small enough to be tried in
// every interleaving.
//
// A thread executes its program in order, but a store goes into the thread's
// buffer first and reaches memory some time later; the thread's own loads see it
// at once. Two machines: in x86-TSO the buffer drains in the order of the
// stores [Sewell et al. 2010], in the other in any order that keeps each word's
// stores in order and a release store behind those before it. membarrier is what
// the kernel promises: between the call and the return each other thread passes a
// full fence at some point of its program, and so does the caller.
//
// What it leaves out: loads that overtake loads, and words of more than one copy.
//
// [Sewell et al. 2010] x86-TSO: a rigorous and usable programmer's model for x86
//   multiprocessors. CACM 53.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace doall::model {

enum class drain { in_order, any_order };

// One access or fence of a program; `word` is a number of memory's.
struct step {
  enum kind {
    load,           // the value is kept: a reading, in the order of the loads
    store,          // 1 is stored
    store_release,  // the same, behind all stores before it
    fence,          // waits until the buffer is empty
    interrupt,      // of every other thread: a fence where it happens to be
  };
  kind what;
  int word = 0;
};

using program = std::vector<step>;

// What membarrier(2) is made of: the kernel fences the caller on the way in.
inline void append_membarrier(program& p) {
  p.push_back({step::fence});
  p.push_back({step::interrupt});
}

// The values that each thread loaded, thread by thread.
using readings = std::vector<std::vector<int>>;

class store_buffer_machine {
 public:
  store_buffer_machine(drain order, std::vector<program> programs)
      : order_(order), programs_(std::move(programs)) {}

  // Those of all interleavings.
  std::set<readings> all_readings() {
    seen_.clear();
    ended_.clear();
    explore({std::vector<thread>(programs_.size()), {}});
    return ended_;
  }

  std::size_t states() const { return seen_.size(); }

 private:
  static constexpr std::size_t words = 8;

  struct buffered {
    int word;
    bool release;
    auto operator<=>(const buffered&) const = default;
  };

  struct thread {
    std::size_t next = 0;          // step of its program
    std::vector<buffered> buffer;  // the oldest store first
    std::vector<int> loaded;
    bool must_drain = false;    // interrupted: nothing goes on until the buffer is empty
    bool interrupts = false;    // in the call
    std::vector<bool> reached;  // by this call's interrupt, thread by thread
    auto operator<=>(const thread&) const = default;
  };

  struct state {
    std::vector<thread> threads;
    std::array<int, words> memory{};
    auto operator<=>(const state&) const = default;
  };

  void explore(const state& s) {
    if (!seen_.insert(s).second) return;
    bool ended = true;
    for (std::size_t t = 0; t < programs_.size(); ++t) {
      ended &= s.threads[t].next == programs_[t].size();
      drain_one(s, t);
      if (s.threads[t].interrupts) {
        go_on_interrupting(s, t);
      } else if (!s.threads[t].must_drain && s.threads[t].next < programs_[t].size()) {
        execute(s, t);
      }
    }
    if (!ended) return;
    readings all;
    for (const thread& t : s.threads) all.push_back(t.loaded);
    ended_.insert(all);
  }

  void drain_one(const state& s, std::size_t t) {
    const auto& buffer = s.threads[t].buffer;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      if (i > 0 && order_ == drain::in_order) break;
      const bool behind_others =
          (buffer[i].release && i > 0) ||
          std::any_of(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const buffered& b) { return b.word == buffer[i].word; });
      if (behind_others) continue;
      state after = s;
      after.memory.at(static_cast<std::size_t>(buffer[i].word)) = 1;
      thread& me = after.threads[t];
      me.buffer.erase(me.buffer.begin() + static_cast<std::ptrdiff_t>(i));
      if (me.buffer.empty()) me.must_drain = false;
      explore(after);
    }
  }

  void execute(const state& s, std::size_t t) {
    const step& now = programs_[t][s.threads[t].next];
    state after = s;
    thread& me = after.threads[t];
    ++me.next;
    switch (now.what) {
      case step::load: {
        const bool own = std::any_of(me.buffer.begin(), me.buffer.end(),
                                     [&](const buffered& b) { return b.word == now.word; });
        me.loaded.push_back(own ? 1 : s.memory.at(static_cast<std::size_t>(now.word)));
        break;
      }
      case step::store: me.buffer.push_back({now.word, false}); break;
      case step::store_release: me.buffer.push_back({now.word, true}); break;
      case step::fence:
        if (!me.buffer.empty()) return;
        break;
      case step::interrupt:
        me.interrupts = true;
        me.reached.assign(programs_.size(), false);
        me.reached[t] = true;
        break;
    }
    explore(after);
  }

  // The kernel reaches the others one by one, in any order, and returns when each has
  // passed its fence.
  void go_on_interrupting(const state& s, std::size_t t) {
    const thread& me = s.threads[t];
    bool all_fenced = true;
    for (std::size_t other = 0; other < programs_.size(); ++other) {
      all_fenced &= me.reached[other] && (other == t || !s.threads[other].must_drain);
      if (me.reached[other]) continue;
      state after = s;
      after.threads[t].reached[other] = true;
      after.threads[other].must_drain = !s.threads[other].buffer.empty();
      explore(after);
    }
    if (!all_fenced) return;
    state after = s;
    after.threads[t].interrupts = false;
    after.threads[t].reached.clear();
    explore(after);
  }

  drain order_;
  std::vector<program> programs_;
  std::set<state> seen_;
  std::set<readings> ended_;
};

}  // namespace doall::model
