// Wishes and hands as messages of MPI (desk.hpp): how ranks on other nodes than rank 0's ask it,
// and what serves all ranks on rank 0: it answers these, and fills the shelf of its own node.
//
// Two-sided messages alone: one-sided access makes no progress while its target computes.
//
//   MPI_THREAD_MULTIPLE   any worker asks. Rank 0 has a thread that serves; between two looks it
//                         sleeps, shortly after a wish and longer after a while without one
//   less                  the caller's thread asks, and on rank 0 serves, between its parts
//
// Two loops that follow each other have different tags, so that a wish for the next loop, from a
// rank that has left this one, stays in MPI's queue.
#pragma once

#include <doall/mpi/c_interface.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/progress.hpp>
#include <doall/mpi/shelf.hpp>

#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
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

// Serves on rank 0: answers wishes, and fills its node's shelf. At most one thread at a time does:
// the one that has the mutex.
class service {
 public:
  // `of_row`: the ranks of this node. `far`: there are others.
  service(MPI_Comm comm, shelf& on, std::vector<std::uint32_t> of_row, bool far, bool by_thread)
      : comm_(comm), on_(on), of_row_(std::move(of_row)), far_(far) {
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

  // From now on the call is dealt from this desk; null: there is none, and whoever asks is in a
  // wrong call. The schedule adapts: it is asked for a chunk when one is wanted, not before.
  void begin(desk* from, const call_name& of, bool adapts, const shown& loop) {
    {
      const std::lock_guard lock(mutex_);
      desk_ = from;
      progress_.begin(loop.file, loop.line, loop.iterations);
      signature_ = of.signature;
      tag_ = ask_tag(of.number);
      in_row_ = adapts ? 1 : shelf::most_in_row;
      on_.open(of, from != nullptr);
      stock();
    }
    changed_.notify_one();
  }
  // Nobody of this node takes any more, and no wish for the loop is under way.
  void end() {
    const std::lock_guard lock(mutex_);
    desk_ = nullptr;
    tag_ = 0;
    progress_.end();
  }

  // Does what there is to do, unless another thread does. For the caller's thread.
  void serve() {
    if (mutex_.try_lock()) {
      const std::lock_guard lock(mutex_, std::adopt_lock);
      serve_all();
    }
  }

  // Fills the shelf. Any thread, while a call has a desk.
  void stock(desk& from) { on_.stock(from, of_row_, in_row_); }

 private:
  void stock() {
    if (desk_ != nullptr) stock(*desk_);
  }

  // Returns whether there was a wish.
  bool serve_all() {
    bool any = false;
    stock();
    if (desk_ != nullptr && progress_.is_due()) progress_.tell(desk_->left());
    while (far_ && tag_ != 0) {
      int there = 0;
      MPI_Status from;
      MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &there, &from);
      if (there == 0) break;
      any = true;
      wish of;
      MPI_Recv(&of, sizeof of, MPI_BYTE, from.MPI_SOURCE, tag_, comm_, MPI_STATUS_IGNORE);
      hand given;
      if (of.loop != signature_ || desk_ == nullptr) {
        given.what = hand::wrong_call;
      } else {
        desk_->deal(static_cast<std::uint32_t>(from.MPI_SOURCE), of, given);
      }
      // Small, and its receive is posted: does not wait for the other side.
      MPI_Send(&given, bytes_of(given), MPI_BYTE, from.MPI_SOURCE, answer_tag, comm_);
    }
    return any;
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

  const MPI_Comm comm_;
  shelf& on_;
  const std::vector<std::uint32_t> of_row_;
  const bool far_;
  std::mutex mutex_;
  std::condition_variable changed_;
  desk* desk_ = nullptr;
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
  // On rank 0: the desk, and what fills the shelf from it; else null.
  mpi_post(MPI_Comm comm, std::uint64_t loop_number, service* filler, desk* from)
      : comm_(comm), tag_(ask_tag(loop_number)), filler_(filler), from_(from) {}

  void send(const wish& of) {
    wish_ = of;
    MPI_Irecv(&hand_, sizeof hand_, MPI_BYTE, 0, answer_tag, comm_, &requests_[0]);
    MPI_Isend(&wish_, sizeof wish_, MPI_BYTE, 0, tag_, comm_, &requests_[1]);
  }

  bool receive(hand& to) {
    int came = 0;
    MPI_Testall(2, requests_, &came, MPI_STATUSES_IGNORE);
    if (came != 0) to = hand_;
    return came != 0;
  }

  void stock() {
    if (from_ != nullptr) filler_->stock(*from_);
  }

 private:
  const MPI_Comm comm_;
  const int tag_;
  service* const filler_;
  desk* const from_;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  wish wish_;
  hand hand_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
