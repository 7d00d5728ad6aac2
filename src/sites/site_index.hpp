// The table of sites: read without a lock, extended under one, never shrinking (site.hpp).
//
// A hash table with linear probing, at most half full. A slot is written once. When the table
// becomes too small, all sites go into one twice as large. The outgrown table stays, for threads
// that still read it; all outgrown ones together are no larger than the last. Sites lie in blocks,
// and have numbers, by which they are found as well.
//
// State and invariants. made_ sites are in blocks and in the newest table. A site's key and number,
// its block, its slot and the table are written before its number is announced. A lookup in a
// table, outgrown or not, finds the site of that key or nothing, never another one. A thread that
// finds nothing looks again under the lock, where nothing is missing. Once all are made nothing is
// written any more: then a thread that finds nothing need not wait for the lock.
//
// Callers: any thread, all functions, but free(), which needs that there is no other thread.
// Terminates: half of the slots are empty. Cost: a lookup reads the table's head, a slot or two, a
// site's key.
//
// Site: its default is of no place; key_type; static hash_of(key), with good upper bits;
// is_of(key), key(); become(key, number), with numbers from 1. Lock: a mutex. Bits: the binary
// logarithm of the first table's size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "base/no_memory.hpp"
#include "base/sync.hpp"

namespace doall::team {

template <class Site, std::uint32_t Most, std::uint32_t InABlock, std::uint32_t Bits>
class site_index {
 public:
  using key = typename Site::key_type;

  // Null: not found without the lock; the site may exist all the same.
  Site* find(const key& of, std::uint64_t hash) const {
    // (1) acquire; pairs with (2): the table
    const table* const now = table_.load(sync::acquire);
    return now != nullptr ? now->find(of, hash) : nullptr;
  }

  // Null: there is no room, or no memory, for another site.
  template <class Lock>
  Site* find_or_add(const key& of, std::uint64_t hash, Lock& lock) {
    // (3) acquire; pairs with (4): the last site, and the table that it is in
    if (made_.load(sync::acquire) == Most) return find(of, hash);
    lock.lock();
    Site* const found = find_or_add_locked(of, hash);
    lock.unlock();
    return found;
  }

  // Null: there is none of that number.
  Site* numbered(std::uint64_t number) const {
    // (5) acquire; pairs with (4): the sites up to there, and their blocks
    if (number == 0 || number > made_.load(sync::acquire)) return nullptr;
    return &at(static_cast<std::uint32_t>(number - 1));
  }

  std::uint32_t made() const {
    // (6) relaxed; alone: a count
    return made_.load(sync::relaxed);
  }

  void free() {
    // (7) relaxed; alone: there is no other thread
    table* now = table_.load(sync::relaxed);
    // (8) relaxed; alone: as (7)
    table_.store(nullptr, sync::relaxed);
    while (now != nullptr) {
      const std::unique_ptr<table> dying(now);
      now = dying->outgrown;
    }
    // (9) relaxed; alone: as (7)
    made_.store(0, sync::relaxed);
    for (sync::plain<block*>& b : blocks_) {
      delete b.get();
      b.set(nullptr);
    }
  }

 private:
  using block = std::array<Site, InABlock>;

  struct table {
    explicit table(std::uint32_t bits)
        : shift(64 - bits),
          mask((std::size_t{1} << bits) - 1),
          slots(std::make_unique<sync::atomic<Site*>[]>(mask + 1)) {}

    Site* find(const key& of, std::uint64_t hash) const {
      for (std::size_t i = hash >> shift;; i = (i + 1) & mask) {
        // (10) acquire; pairs with (11): the site's key
        Site* const site = slots[i].load(sync::acquire);
        if (site == nullptr || site->is_of(of)) return site;
      }
    }

    // Called under the lock.
    void add(Site& site, std::uint64_t hash) {
      std::size_t i = hash >> shift;
      // (12) relaxed; alone: writers hold the lock
      while (slots[i].load(sync::relaxed) != nullptr) i = (i + 1) & mask;
      // (11) release; pairs with (10): the site's key
      slots[i].store(&site, sync::release);
    }

    std::uint32_t shift;
    std::size_t mask;
    std::unique_ptr<sync::atomic<Site*>[]> slots;
    table* outgrown = nullptr;  // the one before
  };

  Site& at(std::uint32_t index) const {
    return (*blocks_[index / InABlock].get())[index % InABlock];
  }

  Site* find_or_add_locked(const key& of, std::uint64_t hash) try {
    const base::may_fail here;
    if (Site* const found = find(of, hash)) return found;
    const std::uint32_t index = made();
    if (index == Most) return nullptr;
    table& in = roomy();
    sync::plain<block*>& place = blocks_[index / InABlock];
    if (index % InABlock == 0 && place.get() == nullptr) place.set(new block());
    Site& site = at(index);
    site.become(of, index + 1);
    in.add(site, hash);
    // (4) release; pairs with (3), (5): the site, its block, its slot and the table
    made_.store(index + 1, sync::release);
    return &site;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }

  // The table, with room for one more.
  table& roomy() {
    // (13) relaxed; alone: writers hold the lock
    table* const now = table_.load(sync::relaxed);
    if (now != nullptr && 2 * (std::size_t{made()} + 1) <= now->mask + 1) return *now;
    auto larger = std::make_unique<table>(now == nullptr ? Bits : 64 - now->shift + 1);
    for (std::uint32_t i = 0; i < made(); ++i) larger->add(at(i), Site::hash_of(at(i).key()));
    larger->outgrown = now;
    // (2) release; pairs with (1): the table
    table_.store(larger.get(), sync::release);
    return *larger.release();
  }

  sync::atomic<table*> table_{nullptr};
  sync::atomic<std::uint32_t> made_{0};
  std::array<sync::plain<block*>, (Most + InABlock - 1) / InABlock> blocks_{};
};

}  // namespace doall::team
