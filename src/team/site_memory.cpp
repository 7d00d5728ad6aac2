#include "team/site_memory.hpp"

#include <pthread.h>

#include <forward_list>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/cache_line.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/sync.hpp"
#include "base/unload.hpp"

namespace doall::team {

class memory_piece {
 public:
  memory_piece(const schedules::spec& how, std::uint32_t workers)
      : how_(how),
        workers_(workers),
        size_(lines_for(how, workers)),
        lines_(std::make_unique<line[]>(size_)) {}

  // What such a piece takes.
  static std::size_t bytes_for(const schedules::spec& how, std::uint32_t workers) {
    return lines_for(how, workers) * sizeof(line);
  }
  std::size_t size_bytes() const { return size_ * sizeof(line); }

  bool is_of(const schedules::spec& how, std::uint32_t workers) const {
    return how_ == how && workers_ == workers;
  }

  // (1) acquire; pairs with (2): the last execution has written what it leaves
  bool is_lent() const { return lent_.load(sync::acquire); }

  // By the table alone, under its lock.
  void lend(std::uint64_t now) {
    used_ = now;
    // (3) relaxed; alone: lenders hold the lock
    lent_.store(true, sync::relaxed);
  }

  // (2) release; pairs with (1): what the execution wrote
  void take_back() { lent_.store(false, sync::release); }

  std::uint64_t used() const { return used_; }
  void* bytes() { return lines_.get(); }

 private:
  struct alignas(base::apart_bytes) line {
    std::byte bytes[base::apart_bytes];
  };
  static std::size_t lines_for(const schedules::spec& how, std::uint32_t workers) {
    return how.which->memory_bytes(workers) / sizeof(line) + 1;
  }

  schedules::spec how_;
  std::uint32_t workers_;
  std::size_t size_;
  std::unique_ptr<line[]> lines_;  // zero at first
  std::uint64_t used_ = 0;         // when it was lent last, on the table's clock
  sync::atomic<bool> lent_{false};
};

namespace {

constinit std::mutex table_lock;

class table {
 public:
  memory_piece* borrow(const void* code, const schedules::spec& how, std::uint32_t workers) {
    const std::lock_guard hold(table_lock);
    const auto [from, to] = pieces_.equal_range(code);
    for (auto at = from; at != to; ++at) {
      if (!at->second.is_of(how, workers)) continue;
      if (at->second.is_lent()) return nullptr;
      at->second.lend(++now_);
      return &at->second;
    }
    const std::size_t wanted_bytes = memory_piece::bytes_for(how, workers);
    while (pieces_.size() == most_pieces || bytes_ + wanted_bytes > most_memory_bytes) {
      if (!make_room()) return nullptr;
    }
    memory_piece& made = pieces_
                             .emplace(std::piecewise_construct, std::forward_as_tuple(code),
                                      std::forward_as_tuple(how, workers))
                             ->second;
    bytes_ += made.size_bytes();
    made.lend(++now_);
    return &made;
  }

  // In the child of a fork. Threads that it does not have may have borrowed pieces;
  // those of the forking thread stay where they are until it has given them back.
  void begin_anew() {
    if (pieces_.empty()) return;
    left_behind_.push_front(std::exchange(pieces_, {}));
    bytes_ = 0;
  }

 private:
  // Forgets the piece that was not used for longest; false if all are lent.
  bool make_room() {
    auto oldest = pieces_.end();
    for (auto at = pieces_.begin(); at != pieces_.end(); ++at) {
      if (at->second.is_lent()) continue;
      if (oldest == pieces_.end() || at->second.used() < oldest->second.used()) oldest = at;
    }
    if (oldest == pieces_.end()) return false;
    bytes_ -= oldest->second.size_bytes();
    pieces_.erase(oldest);
    return true;
  }

  using piece_map = std::unordered_multimap<const void*, memory_piece>;
  piece_map pieces_;
  std::forward_list<piece_map> left_behind_;
  std::size_t bytes_ = 0;
  std::uint64_t now_ = 0;
};

constinit base::lazy<table> the_table;
[[maybe_unused]] const int table_lock_is_free = base::free_in_children<table_lock>();
[[maybe_unused]] const int anew_in_children = pthread_atfork(nullptr, nullptr, [] {
  if (table* made = the_table.if_made()) made->begin_anew();
});
const base::at_unload free_table([] { the_table.drop(); });

}  // namespace

memory_piece* borrow_memory(const void* code, const schedules::spec& how,
                            std::uint32_t workers) noexcept {
  if (how.which->memory_bytes == nullptr || workers == 1) return nullptr;
  try {
    return the_table.get([] { return table(); }).borrow(code, how, workers);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* bytes_of(memory_piece* piece) { return piece == nullptr ? nullptr : piece->bytes(); }

void give_back(memory_piece* piece) {
  if (piece != nullptr) piece->take_back();
}

}  // namespace doall::team
