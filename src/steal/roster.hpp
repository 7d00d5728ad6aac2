// All workers that may be stolen from, and how a thief finds one that has something to steal.
//
// A thief looks only at workers that advertise (worker_thread.hpp). It draws a victim at random
// among them, all equally likely, with a bias to near ones: it draws again, three times out of
// four, if the victim is not of its own NUMA domain. After as many draws as there were adverts it
// looks at all of them once. So "nothing found" means that every deque was empty, or had nothing
// that the thief may take, at some moment of the round.
//
// What a thief may take. An idle worker takes any part of loops that may have so many workers. A
// worker that waits for the end of a loop (stint.hpp) takes only parts of that loop's descendants:
// other work may want a lock that its body holds. It looks at the oldest part alone, for only that
// can be stolen. Parts lie in a deque as their loops nest, the outermost oldest. So a part that the
// thief may take can lie above one that it may not. Then it takes neither, which only costs time:
// the deque's owner comes to both. The thief looks at the part's loop before it takes the part. The
// frame may be another loop's by then; but if so the part is gone too, and the theft fails.
//
// State: a place for each worker, given out in order and kept; the set of workers that advertise.
// Callers: any thread adds, each worker sets and clears its own bit, any thread looks.
// Cost of a draw: a load for each 64 places that have been given out, however many of their workers
// are idle. A theft that succeeds has looked at as many deques as it found empty, and one more.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "steal/places.hpp"
#include "steal/worker_thread.hpp"

namespace doall::steal {

class roster {
 public:
  roster() = default;
  explicit roster(std::uint32_t limit) : limit_(std::min(limit, places_most)) {}

  // False when it is full: nothing has happened. Any thread.
  bool add(worker_thread& w) {
    // (1) relaxed; alone: only spares (2) its attempt
    std::uint32_t place = size_.load(sync::relaxed);
    do {
      if (place >= limit_) return false;
      // (2) relaxed; alone: the place is this thread's; (3) publishes what is in it
    } while (!size_.compare_exchange_weak(place, place + 1, sync::relaxed, sync::relaxed));
    w.enter(place, adverts_.word_of(place));
    // (3) release; pairs with (5): the worker
    all_[place].store(&w, sync::release);
    return true;
  }

  // Removes all workers but one, in the child of a fork, where there is no other thread; that one,
  // too, if it is not to be listed.
  void forget_but(worker_thread* mine, bool is_listed) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      // (6) relaxed; alone: there is no other thread
      all_[i].store(nullptr, sync::relaxed);
    }
    // (7) relaxed; alone: as (6)
    size_.store(0, sync::relaxed);
    adverts_.clear();
    if (mine == nullptr) return;
    mine->leave();
    if (is_listed) add(*mine);
  }

  // (4) relaxed; alone: at() looks whether there is a worker
  std::uint32_t size() const { return size_.load(sync::relaxed); }

  // Null: that worker is just being added.
  worker_thread* at(std::uint32_t i) const {
    // (5) acquire; pairs with (3): the worker
    return all_[i].load(sync::acquire);
  }

  // How many of the others advertise.
  std::uint32_t advertisers(const worker_thread& thief) const {
    std::uint32_t n = 0;
    for (std::uint32_t w = 0; w < words(); ++w) n += count(others(w, thief));
    return n;
  }

  // Whether another worker has a part that the thief may take. O(adverts).
  bool has_work(const worker_thread& thief, const frame* within) const {
    return any_advertiser(thief,
                          [&](worker_thread& w) { return steal::has_work(w, thief, within); });
  }

  // Draws one of the others that advertise; null if none does.
  worker_thread* draw_victim(worker_thread& thief) const {
    worker_thread* drawn = draw(thief);
    constexpr u64 odds_of_far = 4;
    if (drawn != nullptr && drawn->domain != thief.domain && thief.dice.below(odds_of_far) != 0) {
      drawn = draw(thief);
    }
    return drawn;
  }

  // A cheap look, for a thread that spins: whether one of the others has something for it. If its
  // deque is empty, asks the victim to offer more.
  bool glance(worker_thread& thief, const frame* within) const {
    worker_thread* const victim = draw_victim(thief);
    if (victim != nullptr) {
      if (steal::has_work(*victim, thief, within)) return true;
      ask_in_vain(*victim);
    }
    thief.withdraw();
    return false;
  }

  // Steals a part of any loop, or, if `within` is not null, of one that descends from that. False
  // when a round found nothing. O(adverts).
  bool steal(worker_thread& thief, const frame* within, descriptor& taken) const {
    for (std::uint32_t draws = advertisers(thief); draws > 0; --draws) {
      if (steal_from(thief, draw_victim(thief), within, taken)) return true;
    }
    const auto from = [&](worker_thread& victim) {
      return steal_from(thief, &victim, within, taken);
    };
    if (any_advertiser(thief, from)) return true;
    thief.withdraw();
    return false;
  }

  // Steals from that victim alone. False also if it is null, or the thief.
  static bool steal_from(worker_thread& thief, worker_thread* victim, const frame* within,
                         descriptor& taken) {
    if (victim == nullptr || victim == &thief || victim->stealable().looks_empty()) return false;
    const deque::theft how = victim->stealable().steal(taken, [&](const descriptor& seen) {
      if (thief.leaves_tasks && is_task(seen.what)) return false;
      return may_take(thief, *seen.loop, within);
    });
    thief.done.tried += 1;
    thief.done.lost += how == deque::theft::lost_race ? 1 : 0;
    if (how != deque::theft::done) return false;
    thief.done.stolen += 1;
    ask_after_theft(*victim);
    return true;
  }

 private:
  static std::uint32_t count(u64 bits) { return static_cast<std::uint32_t>(std::popcount(bits)); }

  std::uint32_t words() const { return words_for(size()); }

  // Those of the word's workers that advertise, but for the thief.
  u64 others(std::uint32_t w, const worker_thread& thief) const {
    // (8) relaxed; alone: a hint; a thief that goes to sleep has had a fence
    const u64 bits = adverts_.word(w).load(sync::relaxed);
    return thief.place() / places_a_word == w ? bits & ~bit_of(thief.place()) : bits;
  }

  worker_thread* draw(worker_thread& thief) const {
    std::array<u64, place_set::words_most> seen;
    const std::uint32_t n = words();
    std::uint32_t all = 0;
    for (std::uint32_t w = 0; w < n; ++w) {
      seen[w] = others(w, thief);
      if (seen[w] != 0) all += count(seen[w]);
    }
    if (all == 0) return nullptr;
    auto before = all == 1 ? 0 : static_cast<std::uint32_t>(thief.dice.below(all));
    std::uint32_t w = 0;
    for (; before >= count(seen[w]); ++w) before -= count(seen[w]);
    for (; before > 0; --before) seen[w] &= seen[w] - 1;
    return at(lowest_place(w, seen[w]));
  }

  // Whether looks(worker) holds for one of the others that advertise.
  template <class Looks>
  bool any_advertiser(const worker_thread& thief, Looks looks) const {
    for (std::uint32_t w = 0; w < words(); ++w) {
      for (u64 bits = others(w, thief); bits != 0; bits &= bits - 1) {
        worker_thread* const one = at(lowest_place(w, bits));
        if (one != nullptr && looks(*one)) return true;
      }
    }
    return false;
  }

  const std::uint32_t limit_ = places_most;
  sync::atomic<std::uint32_t> size_{0};
  place_set adverts_;
  std::array<sync::atomic<worker_thread*>, places_most> all_{};
};

}  // namespace doall::steal
