// The pool: the chunks that a rank has been dealt, and how its workers divide them. Workers draw
// parts from it and refill it, so that no chunk ends in a join: a worker that finds a chunk drawn
// goes on with the next one while others still run parts of the last.
//
// Inside a chunk the loop's second schedule deals parts: an object of it for each chunk (a dealer,
// abi.h). A chunk of one iteration, or with one worker, is one part.
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

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

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
template <class Source>
class pool {
 public:
  // Throws std::invalid_argument if `inside` cannot deal.
  pool(Source& source, std::uint32_t workers, const doall_schedule& inside)
      : source_(source), inside_(inside), arrived_(workers), absent_(workers) {
    spare_.push_back(begin_dealer(inside_, 0, workers, nullptr, "inside ranks"));
  }
  ~pool() {
    for (doall_dealer* dealer : spare_) doall_dealer_end(dealer);
    for (const dealt& c : chunks_) doall_dealer_end(c.inside);
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  // Draws worker `worker`'s next part. False: there is none, and will be none. `last` is what it
  // has run since its last call. Each worker by one thread at a time.
  bool take(std::uint32_t worker, bool may_fetch, measured last, doall_chunk& part) {
    may_fetch = may_fetch || source_.is_near();
    std::unique_lock lock(mutex_);
    if (!arrived_[worker]) {
      arrived_[worker] = true;
      --absent_;
    }
    run_.iterations += last.iterations;
    run_.elapsed_ns += last.elapsed_ns;
    bool is_fetcher = false;
    for (patience waits;;) {
      const bool was_last = last_ || given_up_;
      const bool found = !given_up_ && draw(worker, last, part);
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
      if (!is_fetcher && (!may_fetch || fetching_)) {
        ++waiting_;
        changed_.wait(lock);
        --waiting_;
        continue;
      }
      is_fetcher = fetching_ = true;
      if (!fetch(lock)) waits.wait(lock, changed_);
    }
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
    for (patience waits; !last_;) {
      if (!fetch(lock)) waits.wait(lock, changed_);
    }
  }

  // Whether rank 0 runs another loop. After drain().
  bool wrong_call() const { return wrong_call_; }

 private:
  struct dealt {
    doall_chunk all;
    std::uint64_t left;              // iterations that are not in a part yet
    doall_dealer* inside = nullptr;  // null: the chunk is one part
  };

  // Draws from the oldest chunk that has something for the worker; else a part that belongs to a
  // worker that no thread has come for.
  bool draw(std::uint32_t worker, measured last, doall_chunk& part) {
    while (!chunks_.empty() && chunks_.front().left == 0) {
      if (chunks_.front().inside != nullptr) spare_.push_back(chunks_.front().inside);
      chunks_.pop_front();
    }
    for (dealt& c : chunks_) {
      if (draw_from(c, worker, last, part)) return true;
    }
    if (absent_ == 0) return false;
    for (dealt& c : chunks_) {
      for (std::uint32_t w = 0; w < arrived_.size(); ++w) {
        if (!arrived_[w] && draw_from(c, w, {}, part)) return true;
      }
    }
    return false;
  }

  bool draw_from(dealt& from, std::uint32_t worker, measured last, doall_chunk& part) {
    if (from.left == 0) return false;
    if (from.inside == nullptr) {
      part = from.all;
      from.left = 0;
      return true;
    }
    doall_chunk c;
    if (doall_dealer_next(from.inside, worker, last.iterations, last.elapsed_ns, &c) == 0) {
      return false;
    }
    const std::uint64_t iterations = size_of(c);
    from.left -= iterations;
    // Iteration i of the chunk is all.begin + i * all.step of the loop.
    const std::uint64_t step = c.step * from.all.step;
    const std::uint64_t begin = from.all.begin + c.begin * from.all.step;
    part = {begin, begin + (iterations - 1) * step + 1, step};
    return true;
  }

  void leave_fetching() {
    fetching_ = false;
    if (waiting_ != 0) changed_.notify_all();
  }

  // What all workers have run since they told it last, as if they had shared it evenly.
  measured take_run() {
    const measured ran{run_.iterations, run_.elapsed_ns / arrived_.size()};
    run_ = {};
    return ran;
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
    for (std::uint32_t i = 0; i < hand_.chunks && !given_up_; ++i) add(hand_.chunk[i]);
    changed_.notify_all();
    return true;
  }

  void look_ahead(std::unique_lock<std::mutex>& lock) {
    const measured ran = take_run();
    lock.unlock();
    source_.look_ahead(ran, false);
    lock.lock();
  }

  void add(const doall_chunk& c) {
    const std::uint64_t iterations = size_of(c);
    doall_dealer* inside = nullptr;
    if (iterations > 1 && arrived_.size() > 1) {
      if (spare_.empty()) {
        const auto workers = static_cast<std::uint32_t>(arrived_.size());
        inside = begin_dealer(inside_, iterations, workers, nullptr, "inside ranks");
      } else {
        inside = spare_.back();
        spare_.pop_back();
        doall_dealer_again(inside, iterations);
      }
    }
    chunks_.push_back({c, iterations, inside});
  }

  Source& source_;
  const doall_schedule inside_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<dealt> chunks_;
  std::vector<doall_dealer*> spare_;
  std::vector<bool> arrived_;  // workers that have called take()
  std::uint32_t absent_;       // the others
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
