// Those who act in a simulated loop over ranks (rank_simulation.hpp): ranks with their workers, and
// dealers. They are made of the shipped desks, supplies, sources and parts; messages are entries of
// a dealer's inbox that arrive later.
//
// State: all of it in one thread. An actor acts at its time in `stage`; whoever gives it something
// to do sets that time.
#pragma once

#include <doall/mpi/desk.hpp>
#include <doall/mpi/groups.hpp>
#include <doall/mpi/parts.hpp>
#include <doall/mpi/shelf.hpp>
#include <doall/mpi/source.hpp>
#include <doall/mpi/supply.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "sim/earliest.hpp"
#include "sim/rank_simulation.hpp"

namespace doall::sim {

using base::u64;
using mpi::detail::call_name;
using mpi::detail::desk;
using mpi::detail::groups;
using mpi::detail::hand;
using mpi::detail::measured;
using mpi::detail::shelf;
using mpi::detail::wish;

inline constexpr call_name the_call{.signature = 1, .number = 1};

// Who acts next: all workers, and behind them the dealers.
struct stage {
  earliest actors;
  double now_ns = 0;

  void wake(std::uint32_t actor, double at_ns) { actors.set(actor, at_ns); }
};

inline constexpr double never = std::numeric_limits<double>::infinity();

struct message {
  enum kind : unsigned char { of_rank, of_group, block };
  double arrives_ns = 0;
  kind what = of_rank;
  std::uint32_t number = 0;  // of its sender, at the desk
  wish asks{};
  hand given{};
};

class virtual_dealer;

// A rank's wish to its dealer, and the hand that comes back.
class virtual_post {
 public:
  virtual_post(virtual_dealer& to, std::uint32_t number, bool is_dealer)
      : to_(to), number_(number), is_dealer_(is_dealer) {}

  void send(const wish& of);
  bool receive(hand& to);
  void stock();

  double answer_ns() const { return answer_ns_; }
  void answer(const hand& given, double arrives_ns) {
    hand_ = given;
    answer_ns_ = arrives_ns;
  }

 private:
  virtual_dealer& to_;
  const std::uint32_t number_;
  const bool is_dealer_;
  hand hand_;
  double answer_ns_ = never;
};

class virtual_rank {
 public:
  virtual_rank(const rank_loop& loop, std::uint32_t rank, const doall_schedule& inside,
               const doall_costs* costs)
      : memory_(std::make_unique<std::byte[]>(shelf::bytes(1))),
        shelf_(memory_.get(), 1, 0, true),
        parts_(loop.workers, inside, costs),
        ran_(loop.workers),
        first_(rank * loop.workers) {}

  void ask(virtual_dealer& from, std::uint32_t number, bool is_dealer, bool is_head,
           unsigned deals) {
    post_.emplace(from, number, is_dealer);
    source_.emplace(*post_, shelf_, the_call,
                    mpi::detail::source<virtual_post>::facts{
                        .near = is_dealer,
                        .from_others = (deals & DOALL_DEALS_BY_WORKER) == 0,
                        .adapts = (deals & DOALL_DEALS_BY_TIMES) != 0,
                        .is_head = is_head});
    if (is_dealer) shelf_.open(the_call, true);
  }

  // Draws the worker's next part. False: there is none now; `is_over`: nor will there be.
  bool draw(std::uint32_t worker, doall_chunk& part, bool& is_over) {
    for (;;) {
      const bool was_last = last_;
      const bool found = parts_.draw(worker, ran_[worker], part);
      ran_[worker] = {};
      is_over = !found && was_last;
      if (found && !last_ && source_->may_look_ahead()) source_->look_ahead(take_run(), false);
      if (found || was_last) return found;
      hand given;
      if (!source_->poll(take_run(), false, given)) return false;
      last_ = given.what != hand::more;
      if (given.chunks != 0) parts_.add(given.chunk[0]);
    }
  }

  void ran(std::uint32_t worker, const measured& of) {
    ran_[worker] = of;
    run_.iterations += of.iterations;
    run_.elapsed_ns += of.elapsed_ns;
  }

  // The worker has found nothing: it looks again when an answer comes.
  void wait(stage& on, std::uint32_t worker) {
    if (post_->answer_ns() != never && post_->answer_ns() > on.now_ns) {
      on.wake(first_ + worker, post_->answer_ns());
      return;
    }
    on.wake(first_ + worker, never);
    waiting_.push_back(worker);
  }
  void wake(stage& on, double at_ns) {
    for (const std::uint32_t worker : waiting_) on.wake(first_ + worker, at_ns);
    waiting_.clear();
  }

  virtual_post& post() { return *post_; }
  shelf& on() { return shelf_; }

 private:
  measured take_run() {
    const measured all{run_.iterations, run_.elapsed_ns / parts_.workers()};
    run_ = {};
    return all;
  }

  std::unique_ptr<std::byte[]> memory_;
  shelf shelf_;
  std::optional<virtual_post> post_;
  std::optional<mpi::detail::source<virtual_post>> source_;
  class mpi::detail::parts parts_;
  std::vector<measured> ran_;  // by worker, since its last part
  measured run_;
  std::vector<std::uint32_t> waiting_;
  const std::uint32_t first_;  // its worker 0
  bool last_ = false;
};

// A group's wish to rank 0, and the block that comes back.
class virtual_group_post {
 public:
  virtual_group_post(virtual_dealer& self, virtual_dealer& root, std::uint32_t group)
      : self_(self), root_(root), group_(group) {}

  void send(const wish& of);
  bool receive(hand& to) {
    if (!came_) return false;
    came_ = false;
    to = hand_;
    return true;
  }
  void take(const hand& given) {
    hand_ = given;
    came_ = true;
  }

 private:
  virtual_dealer& self_;
  virtual_dealer& root_;
  const std::uint32_t group_;
  hand hand_;
  bool came_ = false;
};

// Serves messages, one at a time.
class virtual_dealer {
 public:
  virtual_dealer(stage& on, const rank_prices& prices, std::uint32_t actor, std::uint32_t ranks,
                 bool unbounded, std::uint32_t in_row)
      : ranks(ranks, unbounded), on_(on), prices_(prices), actor_(actor), in_row_(in_row) {}

  desk ranks;
  std::optional<desk> groups;          // rank 0's in a tree
  std::vector<virtual_rank*> members;  // as `ranks` numbers them
  std::vector<virtual_dealer*> heads;  // as `groups` numbers them
  std::uint32_t own = 0;               // its own rank's number
  double busy_ns = 0;
  u64 wishes = 0;
  u64 chunks = 0;  // dealt to ranks

  void ask_above(virtual_dealer& root, std::uint32_t group) {
    above_.emplace(*this, root, group);
    blocks_.emplace(*above_, ranks, the_call.signature);
  }

  void arrive(message what) {
    what.arrives_ns = on_.now_ns + prices_.message_ns;
    inbox_.push_back(what);
    plan();
  }
  // Whatever it has is dealt to its own rank at once.
  void stock() {
    if (blocks_) blocks_->look(static_cast<u64>(on_.now_ns));
    members[own]->on().stock(ranks, {own}, in_row_);
  }
  // It acts now.
  void serve() {
    free_ns_ = std::max(free_ns_, on_.now_ns);
    if (!inbox_.empty() && inbox_.front().arrives_ns <= on_.now_ns) {
      message next = inbox_.front();
      inbox_.pop_front();
      handle(next);
    }
    if (blocks_) blocks_->look(static_cast<u64>(on_.now_ns));
    std::erase_if(later_, [&](message& m) { return answer(m); });
    members[own]->wake(on_, free_ns_);
    plan();
  }
  // Deals to a group on this rank, and without a message.
  void deal_directly(std::uint32_t group, const wish& of, hand& to) {
    groups->deal(group, of, to);
    spend(to);
  }

 private:
  void plan() {
    on_.wake(actor_, inbox_.empty() ? never : std::max(inbox_.front().arrives_ns, free_ns_));
  }
  void spend(const hand& given) {
    const double took_ns = prices_.wish_ns + given.chunks * prices_.chunk_ns;
    free_ns_ = std::max(free_ns_, on_.now_ns) + took_ns;
    busy_ns += took_ns;
    ++wishes;
  }
  void handle(message& next) {
    if (next.what == message::block) {
      spend(next.given);
      above_->take(next.given);
    } else if (!answer(next)) {
      later_.push_back(next);
    }
  }
  bool answer(message& m) {
    hand given;
    if (m.what == message::of_group) {
      groups->deal(m.number, m.asks, given);
      spend(given);
      virtual_dealer& head = *heads[m.number];
      head.inbox_.push_back(
          {.arrives_ns = free_ns_ + prices_.message_ns, .what = message::block, .given = given});
      head.plan();
      return true;
    }
    const bool dealt = ranks.deal(m.number, m.asks, given);
    m.asks.iterations_run = m.asks.elapsed_ns = 0;
    if (!dealt) return false;
    spend(given);
    chunks += given.chunks;
    const double arrives_ns = free_ns_ + prices_.message_ns;
    members[m.number]->post().answer(given, arrives_ns);
    members[m.number]->wake(on_, arrives_ns);
    return true;
  }

  stage& on_;
  const rank_prices prices_;
  const std::uint32_t actor_;
  const std::uint32_t in_row_;
  std::deque<message> inbox_;
  std::vector<message> later_;  // wishes that wait for a block
  double free_ns_ = 0;
  std::optional<virtual_group_post> above_;
  std::optional<mpi::detail::supply<virtual_group_post>> blocks_;

  friend class virtual_post;
};

inline void virtual_post::send(const wish& of) {
  answer_ns_ = never;
  to_.arrive({.what = message::of_rank, .number = number_, .asks = of});
}
inline bool virtual_post::receive(hand& to) {
  if (to_.on_.now_ns < answer_ns_) return false;
  to = hand_;
  return true;
}
inline void virtual_post::stock() {
  if (is_dealer_) to_.stock();
}
inline void virtual_group_post::send(const wish& of) {
  if (&self_ == &root_) {
    hand given;
    root_.deal_directly(group_, of, given);
    take(given);
  } else {
    root_.arrive({.what = message::of_group, .number = group_, .asks = of});
  }
}

}  // namespace doall::sim
