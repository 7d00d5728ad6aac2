// parallel_scan: running sums, by a body or by functions.
//
// The range is cut into blocks. The front is the body that has the sum of all blocks before some
// block. A thread that finds it at blocks which nobody has taken scans these finally and so
// takes the front on: alone, a thread scans all blocks once. Other threads take blocks ahead, from
// the 1/(P + 1)th of them on, and sum them up in bodies of their own. When the front comes to such
// a block it is not scanned but added: the block's body becomes the front, and the old one has what
// the block's final scan needs, which any thread may do. So P threads take 2/(P + 1) of one's time.
#ifndef DOALL_COMPAT_PARALLEL_SCAN_H
#define DOALL_COMPAT_PARALLEL_SCAN_H

#include "detail/context.h"
#include "detail/parts.h"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tbb {
inline namespace doall_v0 {

// What a body is asked for: only the sum, or the results as well.
struct pre_scan_tag {
  static bool is_final_scan() { return false; }
  operator bool() const { return is_final_scan(); }
};
struct final_scan_tag {
  static bool is_final_scan() { return true; }
  operator bool() const { return is_final_scan(); }
};

namespace detail {

template <class Range, class Body, class Parts>
class scan {
 public:
  scan(const Parts& all, Body& whole, task_group_context& context)
      : all_(all),
        context_(context),
        whole_(whole),
        blocks_(std::min(all.count(), parts_wanted())),
        threads_(threads_here()),
        ahead_(blocks_ / (threads_ + 1) + 1),
        ahead_end_(blocks_ - blocks_ / (threads_ + 1)),
        of_(blocks_) {}

  std::uint64_t helpers() const { return std::min<std::uint64_t>(threads_, blocks_); }

  // What each thread does that comes.
  void help() {
    std::unique_lock<std::mutex> lock(mutex_);
    came_ += 1;
    while (!context_.is_group_execution_cancelled()) {
      if (!pending_.empty()) {
        job its = std::move(pending_.back());
        pending_.pop_back();
        lock.unlock();
        scan_blocks(its.block, its.block + 1, *its.before, final_scan_tag());
        its.own.reset();
        lock.lock();
      } else if (!front_is_taken_ && known_ < blocks_ && of_[known_].state == progress::untaken) {
        front_is_taken_ = true;
        const std::uint64_t begin = known_;
        const std::uint64_t end = take_for_front();
        Body& front = front_ != nullptr ? *front_ : whole_;
        lock.unlock();
        scan_blocks(begin, end, front, final_scan_tag());
        lock.lock();
        front_is_taken_ = false;
        known_ = end;
        take_front_on();
      } else if (const std::uint64_t block = next_ahead(); block < ahead_end_) {
        of_[block].state = progress::taken;
        lock.unlock();
        auto own = std::make_unique<Body>(whole_, split());
        scan_blocks(block, block + 1, *own, pre_scan_tag());
        lock.lock();
        of_[block] = {progress::summed, std::move(own)};
        if (!front_is_taken_) take_front_on();
      } else {
        return;  // who has taken the blocks that are left will find more to do
      }
    }
  }

  void finish() {
    if (front_ != nullptr && !context_.is_cancelled_itself()) whole_.assign(*front_);
  }

 private:
  enum class progress : unsigned char { untaken, taken, summed };
  struct block_of {
    progress state = progress::untaken;
    std::unique_ptr<Body> sum = nullptr;
  };
  struct job {
    std::uint64_t block;
    std::unique_ptr<Body> own;
    Body* before;  // has the sum of all blocks before it: `own`, or the caller's
  };

  template <class Tag>
  void scan_blocks(std::uint64_t begin, std::uint64_t end, Body& by, Tag tag) {
    all_.each(share_of(begin, all_.count(), blocks_), share_of(end, all_.count(), blocks_),
              context_, [&](Range& part) { std::invoke(by, part, tag); });
  }

  // Untaken blocks from the front on, of what is left one of P + 1 parts; if nobody else has come
  // while the first of these was scanned, half, and then all. Returns their end.
  std::uint64_t take_for_front() {
    const std::uint64_t takes = came_ > 1 ? 0 : fronts_;
    const std::uint64_t parts = takes == 0 ? threads_ + 1 : takes == 1 ? 2 : 1;
    fronts_ += 1;
    const std::uint64_t most = known_ + (blocks_ - known_ + parts - 1) / parts;
    std::uint64_t end = known_;
    for (; end < most && of_[end].state == progress::untaken; ++end)
      of_[end].state = progress::taken;
    return end;
  }

  // A block is taken ahead if the front is not about to come to it.
  std::uint64_t next_ahead() {
    while (ahead_ < ahead_end_ && (ahead_ <= known_ || of_[ahead_].state != progress::untaken))
      ahead_ += 1;
    return ahead_;
  }

  // Under the mutex, and nobody has the front: over all blocks that are summed up.
  void take_front_on() {
    while (known_ < blocks_ && of_[known_].state == progress::summed) {
      Body& before = front_ != nullptr ? *front_ : whole_;
      of_[known_].sum->reverse_join(before);
      pending_.push_back({known_, std::move(front_), &before});
      front_ = std::move(of_[known_].sum);
      known_ += 1;
    }
  }

  const Parts& all_;
  task_group_context& context_;
  Body& whole_;
  const std::uint64_t blocks_;
  const std::uint64_t threads_;

  std::mutex mutex_;          // of all below
  std::uint64_t came_ = 0;    // threads
  std::uint64_t fronts_ = 0;  // stretches that the front was taken over
  std::uint64_t known_ = 0;   // the front has the sum of so many blocks
  bool front_is_taken_ = false;
  std::unique_ptr<Body> front_;  // null: the caller's
  std::uint64_t ahead_;
  const std::uint64_t ahead_end_;
  std::vector<block_of> of_;
  std::vector<job> pending_;
};

template <class Range, class Body, class Partitioner>
void run_scan(const Range& whole, Body& body, const Partitioner&) {
  using parts_of = parts_for<Range, Partitioner>;
  parts_of all(whole);
  if (all.count() == 0) return;
  if constexpr (is_one_side<Range>) all.ask_once();  // a stretch of blocks is short
  task_group_context context;
  scan<Range, Body, parts_of> running(all, body, context);
  run_loop(running.helpers(), all.indices(), nullptr, context,
           [&](std::uint64_t, std::uint64_t) { running.help(); });
  running.finish();
}

// The functional form as a body.
template <class Range, class Value, class Scan, class Combine>
class scan_function_body {
 public:
  scan_function_body(const Value& identity, const Scan& scan, const Combine& combine)
      : identity_(identity), scan_(scan), combine_(combine), sum_(identity) {}
  scan_function_body(scan_function_body& other, split)
      : scan_function_body(other.identity_, other.scan_, other.combine_) {}

  template <class Tag>
  void operator()(const Range& range, Tag tag) {
    sum_ = std::invoke(scan_, range, const_cast<const Value&>(sum_), tag);
  }
  void reverse_join(scan_function_body& left) {
    sum_ =
        std::invoke(combine_, const_cast<const Value&>(left.sum_), const_cast<const Value&>(sum_));
  }
  void assign(scan_function_body& other) { sum_ = other.sum_; }
  Value result() const { return sum_; }

 private:
  const Value& identity_;
  const Scan& scan_;
  const Combine& combine_;
  Value sum_;
};

template <class Range, class Value, class Scan, class Combine, class Partitioner>
Value scan_by_functions(const Range& range, const Value& identity, const Scan& scan,
                        const Combine& combine, const Partitioner& by) {
  scan_function_body<Range, Value, Scan, Combine> body(identity, scan, combine);
  run_scan(range, body, by);
  return body.result();
}

}  // namespace detail

template <class Range, class Body>
void parallel_scan(const Range& range, Body& body) {
  detail::run_scan(range, body, auto_partitioner());
}
template <class Range, class Body>
void parallel_scan(const Range& range, Body& body, const auto_partitioner& by) {
  detail::run_scan(range, body, by);
}
template <class Range, class Body>
void parallel_scan(const Range& range, Body& body, const simple_partitioner& by) {
  detail::run_scan(range, body, by);
}
template <class Range, class Value, class Scan, class Combine>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const Combine& combine) {
  return detail::scan_by_functions(range, identity, scan, combine, auto_partitioner());
}
template <class Range, class Value, class Scan, class Combine>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const Combine& combine, const auto_partitioner& by) {
  return detail::scan_by_functions(range, identity, scan, combine, by);
}
template <class Range, class Value, class Scan, class Combine>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan,
                    const Combine& combine, const simple_partitioner& by) {
  return detail::scan_by_functions(range, identity, scan, combine, by);
}

}  // namespace doall_v0
}  // namespace tbb

#endif
