#include "costs/kept_costs.hpp"

#include <pthread.h>

#include <algorithm>
#include <forward_list>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"

namespace doall::costs {
namespace {

constinit base::lone_mutex table_lock;

}  // namespace

class kept_table {
 public:
  kept_costs* find(const cost_key& key, const cost_samples& samples) {
    if (key.identity == nullptr) return nullptr;
    for (const auto& one : all_) {
      if (one->ready_ && one->key_ == key && one->samples_ == samples) return lend(*one);
    }
    return nullptr;
  }

  kept_costs* make(const cost_key& key, const cost_samples& samples, std::uint64_t entries,
                   std::uint32_t pieces) {
    if (entries > (most_kept_bytes - pieces * sizeof(cost_piece)) / sizeof(std::uint64_t)) {
      return nullptr;
    }
    kept_costs* made = find_outdated(key, entries, pieces);
    if (made == nullptr) made = add(entries, pieces);
    if (made == nullptr) return nullptr;
    made->key_ = key;
    made->samples_ = samples;
    made->ready_ = false;
    return lend(*made);
  }

  void publish(kept_costs& one) { one.ready_ = true; }

  // Called in the child of a fork. What is lent was lent to threads that do not exist there, or to
  // the forking one: it stays where it is, and nobody else gets it. The child keeps all others.
  void leave_lent() {
    const auto lent = std::stable_partition(all_.begin(), all_.end(),
                                            [](const auto& one) { return !is_lent(*one); });
    for (auto at = lent; at != all_.end(); ++at) {
      bytes_ -= (*at)->size_bytes();
      left_behind_.push_front(std::move(*at));
    }
    all_.erase(lent, all_.end());
  }

 private:
  using list = std::vector<std::unique_ptr<kept_costs>>;

  static bool is_lent(const kept_costs& one) {
    // (1) acquire; pairs with (3): its readers have finished
    return one.readers_.load(sync::acquire) != 0;
  }

  kept_costs* lend(kept_costs& one) {
    one.used_ = ++now_;
    // (2) relaxed; alone: lenders hold the lock
    one.readers_.fetch_add(1, sync::relaxed);
    return &one;
  }

  // Finds sums of the same costs before they changed, which are not expected again. Of a later
  // generation are those of a copy of this table.
  kept_costs* find_outdated(const cost_key& key, std::uint64_t entries, std::uint32_t pieces) {
    for (const auto& one : all_) {
      cost_key as_it_was = key;
      as_it_was.generation = std::min(one->key_.generation, key.generation);
      const bool fits = one->entries_ >= entries && one->most_pieces_ >= pieces;
      if (fits && one->key_ == as_it_was && !is_lent(*one)) return one.get();
    }
    return nullptr;
  }

  kept_costs* add(std::uint64_t entries, std::uint32_t pieces) {
    auto one = std::make_unique<kept_costs>();
    one->entries_ = entries;
    one->most_pieces_ = pieces;
    while (all_.size() == most_kept || bytes_ + one->size_bytes() > most_kept_bytes) {
      if (!make_room()) return nullptr;
    }
    // Not initialised: the threads that fill it touch it first, so that it lies near them.
    one->sums_ = std::make_unique_for_overwrite<std::uint64_t[]>(entries);
    one->pieces_ = std::make_unique<cost_piece[]>(pieces);
    all_.reserve(most_kept);
    bytes_ += one->size_bytes();
    all_.push_back(std::move(one));
    return all_.back().get();
  }

  // Frees the least recently used; false if all are lent.
  bool make_room() {
    auto oldest = all_.end();
    for (auto at = all_.begin(); at != all_.end(); ++at) {
      if (is_lent(**at)) continue;
      if (oldest == all_.end() || (*at)->used_ < (*oldest)->used_) oldest = at;
    }
    if (oldest == all_.end()) return false;
    bytes_ -= (*oldest)->size_bytes();
    all_.erase(oldest);
    return true;
  }

  list all_;
  std::forward_list<std::unique_ptr<kept_costs>> left_behind_;
  std::size_t bytes_ = 0;
  std::uint64_t now_ = 0;
};

namespace {

constinit base::lazy<kept_table> the_table;
[[maybe_unused]] const int table_lock_is_free = base::free_in_children<table_lock>();
[[maybe_unused]] const int lent_costs_stay_behind = base::at_fork(nullptr, nullptr, [] {
  if (kept_table* made = the_table.if_made()) made->leave_lent();
});
const base::at_unload free_table([] { the_table.drop(); });

kept_table& table() {
  return the_table.get([] { return kept_table(); });
}

}  // namespace

kept_costs* find_kept(const cost_key& key, const cost_samples& samples) {
  const std::lock_guard hold(table_lock);
  return table().find(key, samples);
}

kept_costs* make_kept(const cost_key& key, const cost_samples& samples, std::uint64_t entries,
                      std::uint32_t pieces) {
  const std::lock_guard hold(table_lock);
  return table().make(key, samples, entries, pieces);
}

void publish(kept_costs* costs) {
  const std::lock_guard hold(table_lock);
  table().publish(*costs);
}

void give_back(kept_costs* costs) {
  // (3) release; pairs with (1): this loop has read them
  if (costs != nullptr) costs->readers_.fetch_sub(1, sync::release);
}

}  // namespace doall::costs
