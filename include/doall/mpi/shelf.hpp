// The shelf: chunks that the ranks of one node have been dealt and have not begun, in memory that
// these ranks share. Each rank has a row. It takes from its own, and when that is empty from the
// one that has most: what a rank was dealt in advance is never lost to its neighbours, so rows may
// be long, and a rank need not wait for whoever deals.
//
// Who fills the rows: on rank 0's node rank 0, straight from the desk, whenever it comes by
// (stock); on other nodes each rank its own, from its hands (put). Nothing here knows MPI.
//
// State: the rows, what call rank 0 makes, and which loop was given up. One mutex of all processes
// guards all of it. If a rank dies while it has that, the shelf is broken, and has nothing for any
// rank any more: they learn from MPI that the rank has died (peers.hpp). README.md argues exactly
// once, and that nobody waits in vain. Cost: a chunk taken is a lock, and with an empty row a look
// at each row of the node.
// What it replaced, and a tree of dealers: docs/investigations/2026-11-26-chunks-of-a-node.md.
#pragma once

#include <doall/abi.h>
#include <doall/mpi/desk.hpp>

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// A call of a loop over ranks, as ranks compare it.
struct call_name {
  std::uint64_t signature;  // of all that ranks must agree on (agreement.hpp)
  std::uint64_t number;     // of the world's calls, from 1
};

class shelf {
 public:
  // A row has at most as many chunks.
  static constexpr std::uint32_t most_in_row = 256;

  static std::size_t bytes(std::uint32_t ranks) {
    return sizeof(memory) + ranks * sizeof(row) + alignof(memory);
  }

  // Of `bytes(ranks)` at `at`, the same memory on all ranks of the node; this one is its rank
  // `own`. Called by one of them with `makes_it`, before the others.
  shelf(void* at, std::uint32_t ranks, std::uint32_t own, bool makes_it) : own_(own) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto aligned = (address + alignof(memory) - 1) & ~(alignof(memory) - 1);
    memory_ = reinterpret_cast<memory*>(aligned);
    rows_ = reinterpret_cast<row*>(memory_ + 1);
    if (!makes_it) return;
    memory_ = new (memory_) memory{};
    memory_->ranks = ranks;
    for (std::uint32_t r = 0; r < ranks; ++r) new (rows_ + r) row{};
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&memory_->mutex, &shared);
    pthread_mutexattr_destroy(&shared);
  }
  shelf(const shelf&) = delete;
  shelf& operator=(const shelf&) = delete;

  std::uint32_t ranks() const { return memory_->ranks; }

  // Rank 0 makes this call from now on. Without a desk whoever asks for chunks of it is in a wrong
  // call. All ranks of the node have left the call before.
  void open(const call_name& of, bool has_desk) {
    const lock held(*this);
    if (memory_->broken) return;
    memory_->now = of;
    memory_->has_desk = has_desk;
    // Without one the rows are those of ranks with another dealer, who may be ahead of this one.
    for (std::uint32_t r = 0; r < ranks() && has_desk; ++r) renew(rows_[r], of.signature);
  }

  // Rank 0: fills rows to `wanted` chunks, one chunk a row in turn, so that neighbours in the loop
  // lie side by side as they are dealt. Row r is rank `of_row[r]`'s. A row that has more than half
  // of that is left alone. Once any rank has given the loop up, tells the desk, or the rows.
  void stock(desk& from, const std::vector<std::uint32_t>& of_row, std::uint32_t wanted) {
    const lock held(*this);
    if (memory_->broken) return;
    if (memory_->given_up == memory_->now.signature) from.end();
    if (from.was_ended()) {
      empty_rows(memory_->now.signature);
      if (from.is_settled()) memory_->told = memory_->now.signature;
    }
    if (from.is_wrong()) memory_->has_desk = false;
    bool any = false;
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      rows_[r].fills = !rows_[r].last && rows_[r].count <= wanted / 2;
      any = any || rows_[r].fills;
    }
    while (any) {
      any = false;
      for (std::uint32_t r = 0; r < ranks(); ++r) {
        row& to = rows_[r];
        if (!to.fills) continue;
        hand given;
        from.deal(of_row[r],
                  {.iterations_run = to.iterations_run,
                   .elapsed_ns = to.elapsed_ns,
                   .hungry = to.hungry,
                   .held = to.held},
                  given);
        to.iterations_run = to.elapsed_ns = 0;
        add(to, given);
        to.fills = given.chunks != 0 && !to.last && to.count < wanted;
        any = any || to.fills;
      }
    }
  }

  // This rank, on another node than rank 0: puts a hand into its row.
  void put(const call_name& of, const hand& given) {
    const lock held(*this);
    if (memory_->broken) return;
    row& mine = rows_[own_];
    if (mine.loop != of.signature) renew(mine, of.signature);
    if (memory_->given_up == of.signature) {
      mine.last = given.what != hand::more;
    } else {
      add(mine, given);
    }
  }

  // What a rank finds. Without a chunk: whether its row gets no more, or rank 0 makes another call.
  struct found {
    bool chunk = false;
    bool last = false;
    bool wrong_call = false;
    bool told = false;       // whoever deals knows that the loop was given up
    std::uint32_t left = 0;  // chunks in its row
  };

  // Takes a chunk of the loop: of its own row, else, if `from_others`, the next one of the row that
  // has most. `ran` is what this rank has run since it took before, for schedules that adapt.
  found take(const call_name& of, bool from_others, const measured& ran, doall_chunk& to) {
    const lock held(*this);
    if (memory_->broken) return {};
    row& mine = rows_[own_];
    const bool is_own = mine.loop == of.signature;
    mine.iterations_run += ran.iterations;
    mine.elapsed_ns += ran.elapsed_ns;
    row* from = is_own && mine.count != 0 ? &mine : nullptr;
    for (std::uint32_t r = 0; r < ranks() && from_others && from != &mine; ++r) {
      row& other = rows_[r];
      if (other.loop != of.signature || other.count == 0) continue;
      if (from == nullptr || other.count > from->count) from = &other;
    }
    found what;
    what.chunk = from != nullptr;
    what.last = (is_own && mine.last) || memory_->given_up == of.signature;
    what.told = memory_->told == of.signature;
    what.wrong_call = memory_->now.number == of.number &&
                      (memory_->now.signature != of.signature || !memory_->has_desk);
    if (from == nullptr) {
      mine.hungry = 1;
      return what;
    }
    to = from->chunk[from->first];
    from->first = (from->first + 1) % most_in_row;
    --from->count;
    from->held -= size_of(to);
    what.left = is_own ? mine.count : 0;
    return what;
  }

  // No rank of the node gets another chunk of the loop.
  void give_up(const call_name& of) {
    const lock held(*this);
    if (memory_->broken) return;
    empty_rows(of.signature);
  }

 private:
  struct row {
    std::uint64_t loop;  // the signature of the call whose chunks these are
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t held;    // iterations
    std::uint16_t hungry;  // 1: its rank has found nothing
    bool last;             // there will be no more
    bool fills;            // stock() is not done with it
    std::uint64_t iterations_run;
    std::uint64_t elapsed_ns;
    doall_chunk chunk[most_in_row];  // a ring
  };
  struct memory {
    pthread_mutex_t mutex;
    std::uint32_t ranks;
    bool has_desk;
    bool broken;             // a rank has died while it had the lock
    call_name now;           // rank 0's call, on its node; number 0: on other nodes
    std::uint64_t given_up;  // the loop that was given up last
    std::uint64_t told;      // the same, once the desk is settled
  };

  class lock {
   public:
    explicit lock(shelf& of) : mutex_(of.memory_->mutex) {
      if (pthread_mutex_lock(&mutex_) != EOWNERDEAD) return;
      of.memory_->broken = true;
      pthread_mutex_consistent(&mutex_);
    }
    ~lock() { pthread_mutex_unlock(&mutex_); }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

   private:
    pthread_mutex_t& mutex_;
  };

  void empty_rows(std::uint64_t signature) {
    memory_->given_up = signature;
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      if (rows_[r].loop != signature) continue;
      renew(rows_[r], signature);
      rows_[r].last = true;
    }
  }
  static void renew(row& r, std::uint64_t loop) {
    r.loop = loop;
    r.first = r.count = 0;
    r.held = 0;
    r.hungry = 0;
    r.last = r.fills = false;
    r.iterations_run = r.elapsed_ns = 0;
  }
  static void add(row& to, const hand& given) {
    for (std::uint32_t i = 0; i < given.chunks; ++i) {
      to.chunk[(to.first + to.count++) % most_in_row] = given.chunk[i];
      to.held += size_of(given.chunk[i]);
    }
    if (given.chunks != 0) to.hungry = 0;
    to.last = given.what != hand::more;
  }

  memory* memory_;
  row* rows_;
  const std::uint32_t own_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
