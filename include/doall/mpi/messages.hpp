// Wishes and hands as messages of MPI (hands.hpp): how ranks ask a dealer on another node, and what
// serves the dealer's ranks: it answers these, and fills the shelf of its own node. The dealer is
// rank 0 or, in a tree, the head of each group, which asks rank 0 for what it deals (supply.hpp).
//
// Two-sided messages alone: one-sided access makes no progress while its target computes.
//
//   MPI_THREAD_MULTIPLE   any worker asks. A dealer has a thread that serves; between two looks it
//                         sleeps, shortly after a wish and longer after a while without one
//   less                  the caller's thread asks, and on a dealer serves, between its parts
//
// Two loops that follow each other have different tags, so that a wish for the next loop, from a
// rank that has left this one, stays in MPI's queue.
#pragma once

#include <doall/mpi/c_interface.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/groups.hpp>
#include <doall/mpi/peers.hpp>
#include <doall/mpi/progress.hpp>
#include <doall/mpi/shelf.hpp>
#include <doall/mpi/supply.hpp>

#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

inline int ask_tag(std::uint64_t loop_number) { return 1 + static_cast<int>(loop_number % 2); }
inline constexpr int answer_tag = 3;

inline int bytes_of(const hand& h) {
  return static_cast<int>(offsetof(hand, chunk) + h.chunks * sizeof(doall_chunk));
}

// A wish that is under way, and its hand. In a lost world no hand comes.
class asking {
 public:
  explicit asking(peers& all) : all_(all) {}
  ~asking() {
    if (!all_.lost()) return;
    for (MPI_Request& request : requests_) {
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  asking(const asking&) = delete;
  asking& operator=(const asking&) = delete;

  void send(int to, int tag, const wish& of) {
    wish_ = of;
    all_.ok(MPI_Irecv(&hand_, sizeof hand_, MPI_BYTE, to, answer_tag, all_.comm(), &requests_[0]));
    all_.ok(MPI_Isend(&wish_, sizeof wish_, MPI_BYTE, to, tag, all_.comm(), &requests_[1]));
  }
  bool receive(hand& to) {
    for (MPI_Request& request : requests_) {
      int came = 0;
      if (all_.lost() || !all_.ok(MPI_Test(&request, &came, MPI_STATUS_IGNORE)) || came == 0) {
        return false;
      }
    }
    to = hand_;
    return true;
  }

 private:
  peers& all_;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  wish wish_;
  hand hand_;
};

// The desks of a dealer in a call.
struct desks {
  desk* ranks = nullptr;   // deals to its ranks; null: it deals nothing
  desk* groups = nullptr;  // on rank 0 in a tree: deals to groups
  bool in_tree = false;    // `ranks` are the group's; else all
  bool adapts = false;     // the schedule is asked for a chunk when one is wanted, not before
};

// The post of a group's desk (supply.hpp): to rank 0's, by messages, or on rank 0 directly.
class group_post {
 public:
  group_post(peers& all, int tag, desk* groups) : tag_(tag), groups_(groups), asks_(all) {}
  void send(const wish& of) {
    if (groups_ == nullptr) {
      asks_.send(0, tag_, of);
    } else {
      groups_->deal(0, of, hand_);
    }
  }
  bool receive(hand& to) {
    if (groups_ == nullptr) return asks_.receive(to);
    to = hand_;
    return true;
  }

 private:
  const int tag_;
  desk* const groups_;
  hand hand_;
  asking asks_;
};

// Serves on a dealer: answers wishes, and fills its node's shelf. At most one thread at a time
// does: the one that has the mutex.
class service {
 public:
  service(peers& all, int rank, shelf& on, const std::vector<std::uint32_t>& of_row,
          const groups& tree, bool by_thread)
      : all_(all),
        rank_(rank),
        on_(on),
        tree_(tree),
        rows_of_all_(of_row),
        far_(tree.is_tree() || !tree.is_one_node) {
    for (const std::uint32_t r : of_row) rows_of_group_.push_back(groups::index(tree.members, r));
    if (by_thread) thread_ = std::thread([this] { serve_until_end(); });
  }
  ~service() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  // A loop's place and length, to be shown. `file` stays until end().
  struct shown {
    const char* file;
    std::uint32_t line;
    std::uint64_t iterations;
  };

  // From now on the call is dealt from these desks; without one, whoever asks is in a wrong call.
  void begin(const desks& from, const call_name& of, const shown& loop) {
    {
      const std::lock_guard lock(mutex_);
      from_ = from;
      if (rank_ == 0) progress_.begin(loop.file, loop.line, loop.iterations);
      signature_ = of.signature;
      tag_ = ask_tag(of.number);
      in_row_ = from.adapts ? 1 : shelf::most_in_row;
      on_.open(of, from.ranks != nullptr);
      if (from.in_tree && from.ranks != nullptr) {
        above_.emplace(all_, tag_, from.groups);
        blocks_.emplace(*above_, *from.ranks, of.signature);
      }
      stock();
    }
    changed_.notify_one();
  }
  // Nobody of this dealer's takes any more, and no wish for the loop is under way.
  void end() {
    const std::lock_guard lock(mutex_);
    from_ = {};
    tag_ = 0;
    blocks_.reset();
    above_.reset();
    progress_.end();
  }

  // Does what there is to do, unless another thread does. For the caller's thread.
  void serve() {
    if (mutex_.try_lock()) {
      const std::lock_guard lock(mutex_, std::adopt_lock);
      serve_all();
    }
  }

  // Fills the shelf. Any thread while the call has a desk for all ranks, or is rank 0; a head's
  // that may call MPI.
  void stock_for_own(desk& from, bool in_tree) {
    if (!in_tree) {
      on_.stock(from, rows_of_all_, in_row_);
    } else if (rank_ != 0) {
      serve();
    } else if (mutex_.try_lock()) {
      const std::lock_guard lock(mutex_, std::adopt_lock);
      stock();
    }
  }

  // Before this rank agrees on how the call ended: nothing that its desk has asked for is under
  // way.
  bool is_settled() {
    serve();
    const std::lock_guard lock(mutex_);
    return from_.ranks == nullptr || from_.ranks->is_settled() || from_.ranks->is_wrong();
  }

 private:
  struct waiting_wish {
    int from;
    wish of;
  };

  void stock() {
    if (from_.ranks == nullptr) return;
    if (blocks_) blocks_->look(monotonic_ns());
    on_.stock(*from_.ranks, from_.in_tree ? rows_of_group_ : rows_of_all_, in_row_);
  }

  // Returns whether there was a wish.
  bool serve_all() {
    bool any = false;
    if (all_.lost()) return any;
    stock();
    if (from_.ranks != nullptr && progress_.is_due()) {
      progress_.tell((from_.groups != nullptr ? from_.groups : from_.ranks)->left());
    }
    std::erase_if(waiting_, [&](waiting_wish& w) { return answer(w.from, w.of); });
    while (far_ && tag_ != 0) {
      int there = 0;
      MPI_Status from;
      if (!all_.ok(MPI_Iprobe(MPI_ANY_SOURCE, tag_, all_.comm(), &there, &from))) break;
      if (there == 0) break;
      any = true;
      wish of;
      if (!all_.ok(MPI_Recv(&of, sizeof of, MPI_BYTE, from.MPI_SOURCE, tag_, all_.comm(),
                            MPI_STATUS_IGNORE))) {
        break;
      }
      if (!answer(from.MPI_SOURCE, of)) waiting_.push_back({from.MPI_SOURCE, of});
    }
    return any;
  }

  // False: later.
  bool answer(int from, wish& of) {
    hand given;
    if (of.loop != signature_ || from_.ranks == nullptr) {
      given.what = hand::wrong_call;
    } else {
      const auto rank = static_cast<std::uint32_t>(from);
      desk* to = from_.ranks;
      std::uint32_t number = rank;
      if (from_.groups != nullptr && tree_.is_head(rank)) {
        to = from_.groups;
        number = groups::index(tree_.heads, rank);
      } else if (from_.in_tree) {
        number = groups::index(tree_.members, rank);
      }
      const bool dealt = to->deal(number, of, given);
      of.iterations_run = of.elapsed_ns = 0;
      if (!dealt) return false;
    }
    // Small, and its receive is posted: does not wait for the other side.
    all_.ok(MPI_Send(&given, bytes_of(given), MPI_BYTE, from, answer_tag, all_.comm()));
    return true;
  }

  void serve_until_end() {
    using namespace std::chrono_literals;
    constexpr std::chrono::nanoseconds shortest = 20us;
    constexpr std::chrono::nanoseconds longest = 200us;
    prctl(PR_SET_TIMERSLACK, 1000UL);
    std::unique_lock lock(mutex_);
    for (std::chrono::nanoseconds pause = shortest; !ends_;) {
      if (tag_ == 0) {
        changed_.wait(lock);
        pause = shortest;
      } else if (serve_all()) {
        pause = shortest;
      } else {
        changed_.wait_for(lock, pause);
        pause = std::min(pause * 5 / 4, longest);
      }
    }
  }

  peers& all_;
  const int rank_;
  shelf& on_;
  const groups& tree_;
  const std::vector<std::uint32_t> rows_of_all_;  // a row's rank, as its desk numbers it
  std::vector<std::uint32_t> rows_of_group_;
  const bool far_;
  std::mutex mutex_;
  std::condition_variable changed_;
  desks from_;
  std::optional<group_post> above_;
  std::optional<supply<group_post>> blocks_;
  std::vector<waiting_wish> waiting_;  // for a block that is under way
  progress progress_;
  std::uint32_t in_row_ = 1;  // chunks to fill a row to
  std::uint64_t signature_ = 0;
  int tag_ = 0;  // 0: no loop runs
  bool ends_ = false;
  std::thread thread_;
};

// A rank's post (source.hpp).
class mpi_post {
 public:
  // `filler`, `from`: on a dealer what fills the shelf, and from which desk; else null.
  mpi_post(peers& all, std::uint64_t loop_number, std::uint32_t dealer, service* filler,
           const desks& from)
      : tag_(ask_tag(loop_number)),
        dealer_(static_cast<int>(dealer)),
        filler_(filler),
        from_(from),
        asks_(all) {}

  void send(const wish& of) { asks_.send(dealer_, tag_, of); }
  bool receive(hand& to) { return asks_.receive(to); }

  void stock() {
    if (from_.ranks != nullptr) filler_->stock_for_own(*from_.ranks, from_.in_tree);
  }

 private:
  const int tag_;
  const int dealer_;
  service* const filler_;
  const desks from_;
  asking asks_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
