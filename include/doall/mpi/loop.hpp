// A loop over ranks: from its call to its end on all of them.
//
//   one block a rank   each rank computes its own block, and runs it as a loop on one machine
//   dealt              each worker of a rank draws parts from the rank's pool (pool.hpp), which
//                      takes chunks from its node's shelf (shelf.hpp), which rank 0's desk fills
//                      (desk.hpp)
//
// Either way the ranks then agree on how it ended (agreement.hpp). Whatever goes wrong on a rank,
// refused options too, becomes that rank's ending, so that no rank waits for one that threw. A rank
// that dies ends it by an exception of its own kind, where MPI lets the others go on (peers.hpp).
#pragma once

#include <doall/abi.h>
#include <doall/mpi/c_interface.h>
#include <doall/detail/open_loops.hpp>
#include <doall/for.hpp>
#include <doall/mpi/agreement.hpp>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/messages.hpp>
#include <doall/mpi/options.hpp>
#include <doall/mpi/pool.hpp>
#include <doall/mpi/source.hpp>
#include <doall/mpi/world.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <source_location>
#include <stdexcept>
#include <thread>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

inline schedule named_or(const schedule& given, const char* text) {
  return given.raw()->which != 0 ? given : schedule(text);
}

// This rank's part of a loop, as a loop of its own at that place in the source.
template <class Body>
loop_end on_workers(const std::source_location& where, std::uint64_t first, std::uint64_t last,
                    const doall::loop_options& options, const Body& body) {
  return doall::parallel_for(first, last, body, options, where);
}

// The first exception of a loop's workers.
class first_failure {
 public:
  void keep(const std::exception_ptr& failure) {
    const std::lock_guard lock(mutex_);
    if (!kept_) kept_ = failure;
  }
  // When all workers have left.
  const std::exception_ptr& kept() const { return kept_; }

 private:
  std::mutex mutex_;
  std::exception_ptr kept_;
};

// A rank's workers in a dealt loop. piece(begin, end, stop) runs iterations [begin, end).
template <class Piece>
class rank_workers {
 public:
  struct facts {
    bool multiple;  // any thread may call MPI
    bool alone;     // there are no other ranks
  };

  rank_workers(const Piece& piece, const doall::detail::stop_token& stop, facts of,
               pool<source<mpi_post>, peers>& from, service* deals)
      : piece_(piece), stop_(stop), of_(of), from_(from), deals_(deals) {}

  // Runs parts until there are none. Called once for each worker.
  void work(std::uint32_t w) noexcept {
    const bool is_caller = std::this_thread::get_id() == caller_;
    measured last;
    doall_chunk part;
    try {
      while (take(w, is_caller, last, part)) {
        const std::uint64_t begun_ns = monotonic_ns();
        if (is_caller && !of_.multiple && !of_.alone) {
          run_in_slices(part);
        } else {
          run(part);
        }
        const std::uint64_t ended_ns = monotonic_ns();
        last = {size_of(part), ended_ns - begun_ns};
        if (is_caller) {
          serve(ended_ns);
          from_.look();
        }
      }
    } catch (...) {
      failure_.keep(std::current_exception());
      from_.give_up();
    }
  }

  ending end() const {
    if (failure_.kept()) return {ending::failed, 0, failure_.kept()};
    return {stopped_.load() ? ending::stopped : ending::completed};
  }

 private:
  // Reports count the time until the next part as dealing, not as the program's.
  bool take(std::uint32_t w, bool is_caller, const measured& last, doall_chunk& part) {
    doall_wait_begin();
    const bool found = from_.take(w, of_.multiple || is_caller, last, part);
    doall_wait_end();
    return found;
  }

  void run(const doall_chunk& part) {
    loop_end end = loop_end::completed;
    if (part.step == 1) {
      end = run(part.begin, part.end);
    } else {
      const std::uint64_t iterations = size_of(part);
      for (std::uint64_t k = 0; k < iterations && end == loop_end::completed; ++k) {
        const std::uint64_t i = part.begin + k * part.step;
        end = run(i, i + 1);
      }
    }
    if (end == loop_end::completed) return;
    stopped_.store(true);
    from_.give_up();
  }

  loop_end run(std::uint64_t begin, std::uint64_t end) {
    return stop_.stop_possible() ? piece_(begin, end, stop_)
                                 : piece_(begin, end, doall::detail::never_stopped{});
  }

  // The same in slices that take some 50 us: in between, the thread answers and refills.
  void run_in_slices(const doall_chunk& part) {
    constexpr std::uint64_t short_ns = 25'000;
    constexpr std::uint64_t long_ns = 100'000;
    const std::uint64_t iterations = size_of(part);
    std::uint64_t begun_ns = monotonic_ns();
    for (std::uint64_t k = 0; k < iterations && !stopped_.load() && !from_.look();) {
      const std::uint64_t count = std::min(slice_, iterations - k);
      const std::uint64_t first = part.begin + k * part.step;
      run({first, first + (count - 1) * part.step + 1, part.step});
      k += count;
      const std::uint64_t ended_ns = monotonic_ns();
      const std::uint64_t took_ns = ended_ns - begun_ns;
      if (took_ns < short_ns && count == slice_) slice_ += std::min(slice_, iterations - slice_);
      if (took_ns > long_ns) slice_ = std::max<std::uint64_t>(slice_ / 2, 1);
      if (k < iterations) {
        serve(ended_ns);
        from_.progress();
      }
      begun_ns = monotonic_ns();
    }
  }

  // Deals to other ranks, if this is rank 0, but not between parts of a few nanoseconds.
  void serve(std::uint64_t at_ns) {
    constexpr std::uint64_t pause_ns = 2'000;
    if (deals_ == nullptr || of_.alone || at_ns - served_ns_ < pause_ns) return;
    deals_->serve();
    served_ns_ = at_ns;
  }

  const Piece& piece_;
  const doall::detail::stop_token& stop_;
  const facts of_;
  pool<source<mpi_post>, peers>& from_;
  service* const deals_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::uint64_t slice_ = 1;      // the caller's
  std::uint64_t served_ns_ = 0;  // the caller's
  std::atomic<bool> stopped_{false};
  first_failure failure_;
};

class door {
 public:
  // Makes a call over the ranks: work(mine, end) does this rank's part, and all agree. `from` are
  // the desks from which ranks are dealt to meanwhile, if this rank has any. Returns how all ended,
  // or throws what they did.
  template <class Work>
  static loop_end make_call(world& w, call mine, const desks& from, Work work) {
    check(w);
    w.begin(mine, from);
    ending end;
    try {
      work(mine, end);
    } catch (...) {
      if (from.ranks != nullptr) from.ranks->end();
      end = {ending::failed, 0, std::current_exception()};
    }
    const std::exception_ptr own = end.failure;
    w.stopped_by_ = -1;
    if (!w.conclude(mine, end)) throw wrong_call(w.wrong_);
    if (end.what == ending::completed) return loop_end::completed;
    if (end.what == ending::stopped) {
      w.stopped_by_ = end.rank;
      return loop_end::stopped;
    }
    if (own) std::rethrow_exception(own);
    throw rank_failed(end.rank, w.reason_);
  }

  // Runs piece on [0, mine.iterations). costs() gives those of the iterations if it is `costed`, or
  // null, and may throw. `where` is the loop's place (on_workers).
  template <class Piece, class Costs, class Where>
  static loop_end run(world& w, call mine, const loop_options& options, bool costed, Costs costs,
                      const Piece& piece, const Where& where) {
    const schedule between = named_or(options.between, costed ? "best-static" : "static");
    doall_schedule_text(between.raw(), mine.between, sizeof mine.between);
    mine.costs = costed ? 1 : 0;
    const unsigned deals = doall_schedule_deals(between.raw());
    if ((deals & DOALL_DEALS_ONE_BLOCK) != 0) {
      return make_call(w, mine, {}, [&](const call& it, ending& end) {
        const doall_chunk block = block_of(w, between, it.iterations, costs());
        run_block(block, options, piece, where, end);
      });
    }
    schedule inside = named_or(options.inside, usual_inside);
    const bool adapts = (deals & DOALL_DEALS_BY_TIMES) != 0;
    const bool from_others = (deals & DOALL_DEALS_BY_WORKER) == 0;
    // A schedule that deals by worker deals to all ranks, and needs no haste.
    const groups& tree = w.node_->tree();
    const bool in_tree = tree.is_tree() && from_others;
    const std::uint32_t dealer = in_tree ? tree.head : 0;
    const bool is_dealer = static_cast<std::uint32_t>(w.rank_) == dealer;
    desk between_ranks(in_tree ? static_cast<std::uint32_t>(tree.members.size())
                               : static_cast<std::uint32_t>(w.size_),
                       !from_others || (in_tree ? tree.is_one_node : w.node_->is_only()));
    desk groups_of_nodes(tree.count, false);
    const desks here{.ranks = is_dealer ? &between_ranks : nullptr,
                     .groups = in_tree && w.rank_ == 0 ? &groups_of_nodes : nullptr,
                     .in_tree = in_tree,
                     .adapts = adapts};
    // Before anything is dealt: a desk that is not open yet would deal nothing.
    std::exception_ptr refused;
    const doall_costs* told = nullptr;
    try {
      doall_dealer_end(begin_dealer(*between.raw(), 0, 1, nullptr, "between ranks"));
      doall_dealer_end(begin_dealer(*inside.raw(), 0, 1, nullptr, "inside ranks"));
      told = costs();
      if (here.groups != nullptr) {
        here.groups->open(between_groups(*between.raw()), mine.iterations, told);
      }
      if (here.ranks != nullptr && in_tree) here.ranks->open_for_blocks(*between.raw(), told);
      if (here.ranks != nullptr && !in_tree) {
        here.ranks->open(*between.raw(), mine.iterations, told);
      }
    } catch (...) {
      refused = std::current_exception();
      if (here.groups != nullptr) here.groups->end();
      if (here.ranks != nullptr) here.ranks->end();
      inside = schedule("static");
    }
    return make_call(w, mine, here, [&](const call& it, ending& end) {
      mpi_post post(w.peers_, it.number, dealer, w.service_.get(), here);
      source<mpi_post> chunks(post, w.node_->shared(), it.name(),
                              {.near = w.node_->has(dealer),
                               .from_others = from_others,
                               .adapts = adapts,
                               .is_head = in_tree && is_dealer && dealer != 0});
      run_dealt(w, chunks, inside, told, options.stop, refused, piece, where, end);
    });
  }

  // This rank's block under a schedule of one block each; perhaps empty.
  static doall_chunk block_of(const world& w, const schedule& between, std::uint64_t iterations,
                              const doall_costs* costs) {
    doall_dealer* const dealer = begin_dealer(
        *between.raw(), iterations, static_cast<std::uint32_t>(w.size_), costs, "between ranks");
    doall_chunk block{0, 0, 1};
    if (doall_dealer_next(dealer, static_cast<std::uint32_t>(w.rank_), 0, 0, &block) == 0) {
      block = {0, 0, 1};
    }
    doall_dealer_end(dealer);
    return block;
  }

  // Exchanges bytes after a call on which all agree: each is not 0 on one rank at most, and then is
  // the same on all.
  static void exchange(world& w, void* bytes, std::size_t count) {
    constexpr std::size_t at_once = std::size_t{1} << 30;
    for (std::size_t done = 0; done < count; done += at_once) {
      MPI_Request request;
      wait_for(w.peers_,
               MPI_Iallreduce(MPI_IN_PLACE, static_cast<char*>(bytes) + done,
                              static_cast<int>(std::min(at_once, count - done)), MPI_BYTE, MPI_BOR,
                              w.peers_.comm(), &request),
               request, [] {});
    }
  }

 private:
  static void check(const world& w) {
    if (w.peers_.lost()) throw rank_died(w.peers_.dead());
    if (!w.left_.empty()) {
      throw wrong_call("doall::mpi: no more loops in this world, as a rank has ended it: " +
                       w.left_);
    }
    int main = 1;
    if (!w.any_thread_) MPI_Is_thread_main(&main);
    if (main == 0) {
      throw std::logic_error(
          "doall::mpi: a loop was called by a thread that is not MPI's main thread, expected "
          "MPI_Init_thread with MPI_THREAD_SERIALIZED or more; the loop was not run");
    }
  }

  template <class Piece, class Where>
  static void run_block(const doall_chunk& block, const loop_options& options, const Piece& piece,
                        const Where& where, ending& end) {
    std::atomic<bool> was_stopped{false};
    const auto ended =
        on_workers(where, block.begin, block.end, {.how = options.inside, .stop = options.stop},
                   [&](doall::range<std::uint64_t> mine) {
                     const loop_end how =
                         options.stop.stop_possible()
                             ? piece(mine.first(), mine.last(), options.stop)
                             : piece(mine.first(), mine.last(), doall::detail::never_stopped{});
                     if (how == loop_end::stopped) was_stopped.store(true);
                   });
    if (ended == loop_end::stopped || was_stopped.load()) end.what = ending::stopped;
  }

  template <class Piece, class Where>
  static void run_dealt(world& w, source<mpi_post>& chunks, const schedule& inside,
                        const doall_costs* costs, const doall::detail::stop_token& stop,
                        const std::exception_ptr& refused, const Piece& piece, const Where& where,
                        ending& end) {
    const std::uint32_t workers = std::max(doall_threads(), std::uint32_t{1});
    pool<source<mpi_post>, peers> from(chunks, workers, *inside.raw(), costs, w.peers_);
    if (refused) {
      from.give_up();
      from.drain();
      end = {ending::failed, 0, refused};
      return;
    }
    rank_workers<Piece> all(piece, stop, {w.multiple_, w.size_ == 1}, from, w.service_.get());
    if (workers == 1) {
      all.work(0);
    } else {
      // For whoever comes: the caller begins with a worker of its own, and stands in for those that
      // do not come.
      on_workers(where, 0, workers, {.how = schedule("static")},
                 [&](doall::range<std::uint64_t> mine) {
                   for (const std::uint64_t worker : mine) {
                     all.work(static_cast<std::uint32_t>(worker));
                   }
                 });
    }
    from.drain();
    end = all.end();
  }
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
