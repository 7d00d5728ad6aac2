// The pool: the chunks that a rank has begun (parts.hpp), and who fetches the next one. Workers
// draw parts from it and refill it, so that no chunk ends in a join: a worker that finds a chunk
// drawn goes on with the next one while others still run parts of the last.
//
// Fetching: chunks come from a source (source.hpp; tests have others), one at a time. At most one
// thread at a time is the *fetcher*, the only one that calls the source. Any worker may become it
// if the source calls no MPI, or MPI lets all threads call; else only the caller's thread may,
// between its parts.
//
// State, all of it under one mutex: chunks in the order of their arrival, whether the source said
// that there are no more (last), or the loop was given up. README.md argues exactly once, that
// nobody waits in vain, and that it ends.
// Cost of a part: a lock, a call of the schedule, and two readings of the clock by the caller.
#pragma once

#include <doall/abi.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/parts.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// Waits for what only polling shows: looks again at once for a short while, then sleeps ever longer
// between looks. Does not yield: beside a thread that computes, a yield lasts for its time slice,
// and a sleep does not.
class patience {
 public:
  // The lock is free meanwhile. A notification ends a sleep early.
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed) {
    if (++looks_ <= looks_at_once) {
      lock.unlock();
      lock.lock();
      return;
    }
    changed.wait_for(lock, pause_);
    pause_ = std::min(pause_ * 3 / 2, longest);
  }

 private:
  static constexpr unsigned looks_at_once = 50;
  static constexpr std::chrono::nanoseconds longest{200'000};

  unsigned looks_ = 0;
  std::chrono::nanoseconds pause_{10'000};
};

// A source (source.hpp) has
//   bool poll(measured, bool gives_up, hand&)     gets a chunk, if one is there, or learns that the
//                                                 last one was
//   void look_ahead(measured, bool gives_up)      does what makes the next one come in time
//   bool may_look_ahead() const                   whether there is anything of that to do
//   bool is_near() const                          these call no MPI: any worker may fetch
//
// A Watch (peers.hpp) has
//   static constexpr bool may_die                 whether a rank can die that others outlive
//   bool look()                                   calls MPI: whether one has, for good

// Nobody dies.
struct no_watch {
  static constexpr bool may_die = false;
  static bool look() { return false; }
};
inline no_watch nobody_dies;

template <class Source, class Watch = no_watch>
class pool {
 public:
  // `costs` of the loop's iterations, or null. Throws std::invalid_argument if `inside` cannot
  // deal.
  pool(Source& source, std::uint32_t workers, const doall_schedule& inside,
       const doall_costs* costs, Watch& ranks)
      : source_(source), ranks_(ranks), parts_(workers, inside, costs) {}
  pool(Source& source, std::uint32_t workers, const doall_schedule& inside,
       const doall_costs* costs)
    requires std::same_as<Watch, no_watch>
      : pool(source, workers, inside, costs, nobody_dies) {}
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Draws worker `worker`'s next part. False: there is none, and will be none. `last` is what it
  // has run since its last call. Each worker by one thread at a time.
  bool take(std::uint32_t worker, bool may_fetch, measured last, doall_chunk& part) {
    const bool may_look = Watch::may_die && may_fetch;
    may_fetch = may_fetch || source_.is_near();
    std::unique_lock lock(mutex_);
    run_.iterations += last.iterations;
    run_.elapsed_ns += last.elapsed_ns;
    bool is_fetcher = false;
    for (patience waits;;) {
      const bool was_last = last_ || given_up_;
      const bool found = !given_up_ && parts_.draw(worker, last, part);
      last = {};
      if (found || was_last) {
        const bool may_lead = is_fetcher || (may_fetch && !fetching_);
        if (found && may_lead && !given_up_ && !last_ && source_.may_look_ahead()) {
          is_fetcher = fetching_ = true;
          look_ahead(lock);
        }
        if (is_fetcher) leave_fetching();
        return found;
      }
      if (may_look && look(lock)) continue;
      if (!is_fetcher && (!may_fetch || fetching_)) {
        ++waiting_;
        if (may_look) {
          changed_.wait_for(lock, between_looks);
        } else {
          changed_.wait(lock);
        }
        --waiting_;
        continue;
      }
      is_fetcher = fetching_ = true;
      if (!fetch(lock)) waits.wait(lock, changed_);
    }
  }

  // Whether a rank has died. Then there is nothing to draw any more. By a thread that may call MPI.
  bool look() {
    if (!Watch::may_die) return false;
    std::unique_lock lock(mutex_);
    return look(lock);
  }

  // Fetches for those that wait, and looks ahead. For a thread that may fetch and is about to run
  // long.
  void progress() {
    std::unique_lock lock(mutex_);
    if (fetching_ || given_up_ || last_) return;
    if (waiting_ == 0 && !source_.may_look_ahead()) return;
    fetching_ = true;
    if (waiting_ != 0) {
      fetch(lock);
    } else {
      look_ahead(lock);
    }
    leave_fetching();
  }

  // From now on there is nothing to draw. Any thread.
  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    changed_.notify_all();
  }

  // Called when all workers have left, by a thread that may fetch. Has the loop ended for all ranks
  // if it was given up here, and takes the answer to what was asked for.
  void drain() {
    std::unique_lock lock(mutex_);
    if (given_up_ && !wrong_call_) last_ = false;  // until the others know
    for (patience waits; !last_ && !look(lock);) {
      if (!fetch(lock)) waits.wait(lock, changed_);
    }
  }

  // Whether rank 0 runs another loop. After drain().
  bool wrong_call() const { return wrong_call_; }

 private:
  void leave_fetching() {
    fetching_ = false;
    if (waiting_ != 0) changed_.notify_all();
  }

  // What all workers have run since they told it last, as if they had shared it evenly.
  measured take_run() {
    const measured ran{run_.iterations, run_.elapsed_ns / parts_.workers()};
    run_ = {};
    return ran;
  }

  static constexpr std::chrono::milliseconds between_looks{1};

  // Leaves the lock free meanwhile.
  bool look(std::unique_lock<std::mutex>& lock) {
    if (!Watch::may_die) return false;
    lock.unlock();
    const bool lost = ranks_.look();
    lock.lock();
    if (!lost) return false;
    given_up_ = last_ = true;
    changed_.notify_all();
    return true;
  }

  // Both leave the lock free meanwhile, so only the fetcher calls them.

  // Returns whether a hand came.
  bool fetch(std::unique_lock<std::mutex>& lock) {
    const measured ran = take_run();
    const bool gives_up = given_up_;
    lock.unlock();
    const bool came = source_.poll(ran, gives_up, hand_);
    lock.lock();
    if (!came) return false;
    last_ = hand_.what != hand::more;
    if (hand_.what == hand::wrong_call) wrong_call_ = given_up_ = true;
    for (std::uint32_t i = 0; i < hand_.chunks && !given_up_; ++i) parts_.add(hand_.chunk[i]);
    changed_.notify_all();
    return true;
  }

  void look_ahead(std::unique_lock<std::mutex>& lock) {
    const measured ran = take_run();
    lock.unlock();
    source_.look_ahead(ran, false);
    lock.lock();
  }

  Source& source_;
  Watch& ranks_;

  std::mutex mutex_;
  std::condition_variable changed_;
  class parts parts_;
  std::uint32_t waiting_ = 0;  // threads that wait for a notification
  measured run_;               // since the last wish, by all workers
  hand hand_;                  // the fetcher's
  bool fetching_ = false;      // a thread is the fetcher
  bool last_ = false;
  bool given_up_ = false;
  bool wrong_call_ = false;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
