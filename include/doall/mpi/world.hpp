// doall::mpi::world: the ranks that share loops.
#pragma once

#include <doall/mpi/c_interface.h>
#include <doall/mpi/agreement.hpp>
#include <doall/mpi/errors.hpp>
#include <doall/mpi/messages.hpp>
#include <doall/mpi/node.hpp>
#include <doall/mpi/peers.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace doall {
inline namespace v0 {
namespace mpi {

namespace detail {
class door;
}

// The ranks of a communicator, which it duplicates. Construction, destruction, and all loops over a
// world are collective: all ranks make the same calls, in the same order, from the same places in
// the source. One thread of a rank at a time uses a world; it may be another one each time if MPI
// was initialised with MPI_THREAD_SERIALIZED or more, else it is the main thread.
//
// The ranks of a node share what any of them is dealt. A node is a machine; a program may say
// otherwise by a communicator of those ranks that are one, as long as they share memory: one for
// each socket, say. Rank 0 of it is the one whose rank is least.
//
// With MPI_THREAD_MULTIPLE, rank 0 of more than one starts a thread that deals to the others.
// Without it, rank 0 deals between parts of its own work: ask MPI_Init_thread for it if you can. In
// a job of more than 64 nodes (DOALL_MPI_GROUP_NODES) the first rank of each group of nodes does.
//
// To be destroyed before MPI_Finalize().
class world {
 public:
  explicit world(MPI_Comm of, MPI_Comm node = MPI_COMM_NULL) : peers_(of) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    multiple_ = provided == MPI_THREAD_MULTIPLE;
    any_thread_ = provided >= MPI_THREAD_SERIALIZED;
    MPI_Comm_rank(peers_.comm(), &rank_);
    MPI_Comm_size(peers_.comm(), &size_);
    node_.emplace(peers_.comm(), node);
    peers_.watch();
    if (node_->tree().head == static_cast<std::uint32_t>(rank_)) {
      service_ = std::make_unique<detail::service>(peers_, rank_, node_->shared(), node_->ranks(),
                                                   node_->tree(), multiple_ && size_ > 1);
    }
  }

  ~world() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || !left_.empty() || peers_.lost()) return;
    detail::call mine = detail::describe(detail::call_kind::end_of_world, {});
    detail::ending end;
    begin(mine, {});
    // A rank that runs a loop meanwhile learns it there, as a wrong call. Both then keep their
    // communicator and its memory, for which no rank waits. So do all if a rank has died.
    try {
      if (!conclude(mine, end)) return;
    } catch (const rank_died&) {
      return;
    }
    service_.reset();
    node_->leave();
    peers_.leave();
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // The rank whose requested stop ended the last loop, the first one of several; -1: none.
  int stopped_by() const { return stopped_by_; }

 private:
  friend class detail::door;

  // Begins a call. A dealer from now on deals from its desks or, if there are none, tells whoever
  // asks that it is in a wrong call.
  void begin(detail::call& mine, const detail::desks& from) {
    mine.number = ++calls_;
    if (service_ == nullptr) return;
    service_->begin(from, mine.name(), {mine.file, mine.line, mine.iterations});
  }

  void serve() {
    if (service_ != nullptr) service_->serve();
  }

  // Agrees on how the call ended, or throws rank_died. False: on a wrong call, of which `wrong_`
  // says more. After one in which a rank ended its world, `left_` says so.
  bool conclude(const detail::call& mine, detail::ending& end) {
    if (service_ != nullptr) {
      detail::wait_until([this] { return peers_.look() || service_->is_settled(); });
    }
    // However the call ends, nothing is dealt any more.
    struct dealt {
      detail::service* by;
      ~dealt() {
        if (by != nullptr) by->end();
      }
    } const until_here{service_.get()};
    detail::agreement all(peers_, rank_, size_, [this] { serve(); });
    const bool agreed = all.conclude(mine, end);
    if (!agreed) {
      const auto calls = all.calls(mine);
      wrong_ = detail::words_of_wrong_call(calls);
      for (const detail::call& c : calls) {
        if (c.kind == detail::call_kind::end_of_world) left_ = wrong_;
      }
    } else if (end.what == detail::ending::failed) {
      reason_ = all.reason(end.rank, end.failure);
    }
    return agreed;
  }

  detail::peers peers_;
  int rank_ = 0;
  int size_ = 1;
  bool multiple_ = false;
  bool any_thread_ = false;
  int stopped_by_ = -1;
  std::uint64_t calls_ = 0;
  std::string reason_;  // of the rank that failed
  std::string wrong_;   // the last wrong call
  std::string left_;    // some rank has ended its world in a wrong call: no more loops
  std::optional<detail::node> node_;
  std::unique_ptr<detail::service> service_;  // of dealers
};

}  // namespace mpi
}  // namespace v0
}  // namespace doall
