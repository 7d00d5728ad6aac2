// Wishes and hands between threads, in MPI's place: mailboxes, and what serves them on a dealer.
#pragma once

#include <doall/mpi/desk.hpp>
#include <doall/mpi/shelf.hpp>
#include <doall/mpi/supply.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace doall::tests {

using mpi::detail::desk;
using mpi::detail::hand;
using mpi::detail::shelf;
using mpi::detail::supply;
using mpi::detail::wish;

// A mailbox for wishes, and one for each sender's answer.
class mailboxes {
 public:
  explicit mailboxes(std::uint32_t senders) : answers_(senders) {}

  void send(std::uint32_t from, const wish& of) {
    const std::lock_guard lock(mutex_);
    wishes_.push_back({from, of});
  }
  bool receive(std::uint32_t by, hand& to) {
    const std::lock_guard lock(mutex_);
    if (!answers_[by]) return false;
    to = *answers_[by];
    answers_[by].reset();
    return true;
  }
  // Answers the wishes that are there, but those that `from` has nothing for now.
  void serve(desk& from) {
    std::deque<std::pair<std::uint32_t, wish>> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(wishes_);
    }
    for (auto& [sender, of] : taken) {
      hand given;
      const bool dealt = from.deal(sender, of, given);
      const std::lock_guard lock(mutex_);
      if (dealt) {
        answers_[sender] = given;
      } else {
        of.iterations_run = of.elapsed_ns = 0;
        wishes_.push_back({sender, of});
      }
    }
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<std::uint32_t, wish>> wishes_;
  std::vector<std::optional<hand>> answers_;
};

// Of a group's desk.
struct group_post {
  mailboxes& above;
  std::uint32_t group;

  void send(const wish& of) { above.send(group, of); }
  bool receive(hand& to) { return above.receive(group, to); }
};

// Where all ranks leave a call together.
class exits {
 public:
  void leave() { left_.fetch_add(1); }
  bool all_have(std::uint32_t ranks) const { return left_.load() == ranks; }

 private:
  std::atomic<std::uint32_t> left_{0};
};

// A dealer: its ranks' mailboxes, their desk, and the shelf of its node. Rank 0's in a tree has the
// desk for groups, too.
class post_office {
 public:
  post_office(desk& from, shelf& near, std::vector<std::uint32_t> of_row, std::uint32_t in_row,
              std::uint32_t ranks)
      : desk_(from), near_(near), of_row_(std::move(of_row)), in_row_(in_row), boxes_(ranks) {}

  void ask_above(mailboxes& above, std::uint32_t group, std::uint64_t signature) {
    above_.emplace(group_post{above, group});
    blocks_.emplace(*above_, desk_, signature);
  }
  void deal_to_groups(mailboxes& of, desk& from) {
    group_boxes_ = &of;
    groups_ = &from;
  }

  mailboxes& boxes() { return boxes_; }
  void serve() {
    if (!mutex_.try_lock()) return;
    const std::lock_guard lock(mutex_, std::adopt_lock);
    if (groups_ != nullptr) group_boxes_->serve(*groups_);
    if (blocks_) blocks_->look(base::now_ns());
    near_.stock(desk_, of_row_, in_row_);
    boxes_.serve(desk_);
  }
  bool is_settled() {
    serve();
    return desk_.is_settled();
  }

 private:
  desk& desk_;
  shelf& near_;
  const std::vector<std::uint32_t> of_row_;
  const std::uint32_t in_row_;
  std::mutex mutex_;
  mailboxes boxes_;
  mailboxes* group_boxes_ = nullptr;
  desk* groups_ = nullptr;
  std::optional<group_post> above_;
  std::optional<supply<group_post>> blocks_;
};

}  // namespace doall::tests
