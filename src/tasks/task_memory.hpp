// Memory for the descriptors of tasks with their payloads, recycled by each member of a team.
//
// Blocks of a few sizes. A member makes tasks from its own free lists. A block that another thread
// frees goes onto its home's list of returned blocks, which the home takes back whole when its own
// list is empty: so a producer whose tasks others run needs no new memory.
//
// Blocks are never unmapped before the member is, which is kept until the library is unloaded
// (task_team.hpp): a thief may look into a block at any time (task.hpp).
//
// A free block is as a new one: explicit_, in no tree, with nothing extra, and its payload behind
// it. So memory for a payload alone is had, and given back, by a few stores.
//
// State: for each size a list of free blocks, of the owner alone; one list of returned ones, onto
// which any thread pushes. There is no ABA: nobody pops from it, the owner takes all.
// Cost: a few instructions; one compare-and-swap for a block that goes home from elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "base/tsan.hpp"
#include "tasks/task.hpp"

namespace doall::tasks {

class task_memory {
 public:
  // The payload lies behind the descriptor.
  static constexpr std::size_t head_bytes = sizeof(task);
  // The larger ones: arrays of powers of two that are firstprivate, with some variables beside.
  // With memory of its own for each, from the allocator and aligned, a task of 568 bytes took three
  // times as long (floorplan of BOTS).
  static constexpr std::array<std::size_t, 6> room_bytes{64, 192, 448, 1216, 4288, 16576};
  static constexpr std::size_t alignment = base::line_bytes;

  static void* room_of(task* t) { return reinterpret_cast<std::byte*>(t) + head_bytes; }

  // The size class for such a payload; the number of classes: none, it needs memory of its own.
  static std::uint8_t class_for(std::size_t bytes, std::size_t aligned_to) {
    if (aligned_to > alignment) return room_bytes.size();
    std::uint8_t c = 0;
    while (c < room_bytes.size() && bytes > room_bytes[c]) ++c;
    return c;
  }

  // A block of that class, by the owner. What it holds is an earlier task's.
  task* take(std::uint8_t size_class) {
    if (free_[size_class] == nullptr) [[unlikely]]
      refill(size_class);
    return take_ready(size_class);
  }
  // Null: none is free, and take() would look further.
  task* take_ready(std::uint8_t size_class) {
    task* const t = free_[size_class];
    if (t != nullptr) free_[size_class] = t->next;
    return t;
  }

  // Called by the owner.
  void give(task* t) {
    t->next = free_[t->size_class];
    free_[t->size_class] = t;
  }

  // Called by any other thread.
  void give_back(task* t) {
    // (1) relaxed; alone: a guess for (2), which decides
    task* seen = returned_.load(sync::relaxed);
    base::tsan_gives(t);
    do {
      t->next = seen;
      // (2) release; pairs with (3): this thread is done with the block
    } while (!returned_.compare_exchange_weak(seen, t, sync::release, sync::relaxed));
  }

 private:
  static std::size_t chunk_bytes_of(std::size_t block) {
    constexpr std::size_t usual = 16384;
    return std::max(usual, 4 * block);
  }

  void refill(std::uint8_t size_class) {
    // (3) acquire; pairs with (2): who returned them is done with them
    task* t = returned_.exchange(nullptr, sync::acquire);
    while (t != nullptr) {
      base::tsan_takes(t);
      task* const next = t->next;
      give(t);
      t = next;
    }
    if (free_[size_class] == nullptr) grow(size_class);
  }

  void grow(std::uint8_t size_class) {
    const std::size_t block = head_bytes + room_bytes[size_class];
    const std::size_t chunk_bytes = chunk_bytes_of(block);
    auto* const chunk =
        static_cast<std::byte*>(::operator new(chunk_bytes, std::align_val_t{alignment}));
    chunks_.emplace_back(chunk);
    for (std::size_t at = 0; at + block <= chunk_bytes; at += block) {
      task* const t = new (chunk + at) task;
      t->size_class = size_class;
      t->payload = room_of(t);
      give(t);
    }
  }

  struct unmap {
    void operator()(std::byte* chunk) const {
      ::operator delete(chunk, std::align_val_t{alignment});
    }
  };

  std::array<task*, room_bytes.size()> free_{};
  std::vector<std::unique_ptr<std::byte, unmap>> chunks_;
  alignas(base::apart_bytes) sync::atomic<task*> returned_{nullptr};
};

}  // namespace doall::tasks
