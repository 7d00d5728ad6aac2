#include "sites/site_memory.hpp"

#include <pthread.h>

#include <forward_list>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/no_memory.hpp"
#include "base/sync.hpp"
#include "sites/choices.hpp"
#include "sites/site.hpp"

namespace doall::team {

class memory_piece {
 public:
  memory_piece(loop_site& of, const schedules::spec& how, std::uint32_t workers)
      : of_(of),
        how_(how),
        workers_(workers),
        size_(lines_for(how, workers)),
        lines_(std::make_unique<line[]>(size_)) {}

  // The size of such a piece.
  static std::size_t bytes_for(const schedules::spec& how, std::uint32_t workers) {
    return lines_for(how, workers) * sizeof(line);
  }
  std::size_t size_bytes() const { return size_ * sizeof(line); }

  bool is_of(const schedules::spec& how, std::uint32_t workers) const {
    return how_ == how && workers_ == workers;
  }
  const schedules::spec& schedule() const { return how_; }
  std::uint32_t workers() const { return workers_; }

  loop_site& site() const { return of_; }

  // Whether it came from another process; written before any other execution has it.
  bool loaded = false;

  // The site's next piece, under the table's lock.
  memory_piece* next = nullptr;

  // (1) acquire; pairs with (2): the last execution has written what it leaves
  bool is_lent() const { return lent_.load(sync::acquire); }

  // Called by the table alone, under its lock.
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

  loop_site& of_;
  schedules::spec how_;
  std::uint32_t workers_;
  std::size_t size_;
  std::unique_ptr<line[]> lines_;  // zero at first
  std::uint64_t used_ = 0;         // when it was lent last, on the table's clock
  sync::atomic<bool> lent_{false};
};

namespace {

constinit base::lone_mutex table_lock;

class memory_table {
 public:
  memory_table() { pieces_.reserve(most_pieces); }

  memory_piece* borrow(loop_site& of, const schedules::spec& how, std::uint32_t workers,
                       bool& is_new) {
    const std::lock_guard hold(table_lock);
    for (memory_piece* one = of.memory; one != nullptr; one = one->next) {
      if (!one->is_of(how, workers)) continue;
      return one->is_lent() ? nullptr : lend(*one);
    }
    const std::size_t wanted_bytes = memory_piece::bytes_for(how, workers);
    while (pieces_.size() == most_pieces || bytes_ + wanted_bytes > most_memory_bytes) {
      if (!make_room()) return nullptr;
    }
    memory_piece& made = *pieces_.emplace_back(std::make_unique<memory_piece>(of, how, workers));
    made.next = std::exchange(of.memory, &made);
    bytes_ += made.size_bytes();
    is_new = true;
    return lend(made);
  }

  static void each(const loop_site& of, const memory_visit& see) {
    const std::lock_guard hold(table_lock);
    for (memory_piece* one = of.memory; one != nullptr; one = one->next) {
      if (!one->is_lent()) see(one->schedule(), one->workers(), one->bytes());
    }
  }

  // Called in the child of a fork. What is lent was lent to threads that do not exist there, or to
  // the forking one: it stays where it is, and nobody else gets it. The child keeps all others.
  void leave_lent() {
    for (auto& one : pieces_) {
      if (!one->is_lent()) continue;
      take_out(*one);
      left_behind_.push_front(std::move(one));
    }
    std::erase(pieces_, nullptr);
  }

  void forget_all() {
    for (const auto& one : pieces_) one->site().memory = nullptr;
  }

 private:
  memory_piece* lend(memory_piece& one) {
    one.lend(++now_);
    return &one;
  }

  // Frees the least recently used piece; false if all are lent.
  bool make_room() {
    auto oldest = pieces_.end();
    for (auto at = pieces_.begin(); at != pieces_.end(); ++at) {
      if ((*at)->is_lent()) continue;
      if (oldest == pieces_.end() || (*at)->used() < (*oldest)->used()) oldest = at;
    }
    if (oldest == pieces_.end()) return false;
    take_out(**oldest);
    std::swap(*oldest, pieces_.back());
    pieces_.pop_back();
    return true;
  }

  // Its site and the sum of bytes know it no longer.
  void take_out(memory_piece& one) {
    bytes_ -= one.size_bytes();
    memory_piece** at = &one.site().memory;
    while (*at != &one) at = &(*at)->next;
    *at = one.next;
  }

  std::vector<std::unique_ptr<memory_piece>> pieces_;
  std::forward_list<std::unique_ptr<memory_piece>> left_behind_;
  std::size_t bytes_ = 0;
  std::uint64_t now_ = 0;
};

constinit base::lazy<memory_table> all_memory;
[[maybe_unused]] const int table_lock_is_free = base::free_in_children<table_lock>();
[[maybe_unused]] const int lent_memory_stays_behind = base::at_fork(nullptr, nullptr, [] {
  if (memory_table* made = all_memory.if_made()) made->leave_lent();
});

}  // namespace

memory_piece* borrow_memory(const site_key& of, const schedules::spec& how,
                            std::uint32_t workers) noexcept {
  if (how.which->memory_bytes == nullptr || workers == 1 || of == site_key{}) return nullptr;
  loop_site& site = site_of(of);
  if (site.is_crowd()) return nullptr;
  try {
    const base::may_fail here;
    bool is_new = false;
    memory_piece* const found =
        all_memory.get([] { return memory_table(); }).borrow(site, how, workers, is_new);
    if (is_new) found->loaded = load_cuts(site, how, workers, found->bytes());
    return found;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* bytes_of(memory_piece* piece) { return piece == nullptr ? nullptr : piece->bytes(); }

bool is_loaded(const memory_piece* piece) { return piece != nullptr && piece->loaded; }

void each_memory(const loop_site& of, const memory_visit& see) { memory_table::each(of, see); }

void free_memory() {
  if (memory_table* made = all_memory.if_made()) made->forget_all();
  all_memory.drop();
}

void give_back(memory_piece* piece) {
  if (piece != nullptr) piece->take_back();
}

}  // namespace doall::team
