// Wishes and hands as messages of MPI (desk.hpp): the source that a rank's pool asks, and what
// answers on rank 0.
//
// Two-sided messages alone: one-sided access makes no progress while its target computes.
//
//   MPI_THREAD_MULTIPLE   any worker asks. Rank 0 has a thread that answers; between two looks it
//                         sleeps, shortly after a wish and longer after a while without one
//   less                  the caller's thread asks, and on rank 0 answers, between its parts
//
// Two loops that follow each other have different tags, so that a wish for the next loop, from a
// rank that has left this one, stays in MPI's queue.
#pragma once

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <doall/mpi/desk.hpp>
#include <doall/mpi/pool.hpp>

#include <mpi.h>
#include <sys/prctl.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

inline int ask_tag(std::uint64_t loop_number) { return 1 + static_cast<int>(loop_number % 2); }
inline constexpr int answer_tag = 3;

inline int bytes_of(const hand& h) {
  return static_cast<int>(offsetof(hand, chunk) + h.chunks * sizeof(doall_chunk));
}

// Answers wishes on rank 0. At most one thread at a time answers: the one that has the mutex.
class answering {
 public:
  answering(MPI_Comm comm, bool by_thread) : comm_(comm) {
    if (by_thread) thread_ = std::thread([this] { answer_until_end(); });
  }
  ~answering() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  answering(const answering&) = delete;
  answering& operator=(const answering&) = delete;

  // From now on wishes for this loop are answered from this desk; null: there is none, and all of
  // them are wrong calls.
  void begin(desk* from, std::uint64_t signature, std::uint64_t loop_number) {
    {
      const std::lock_guard lock(mutex_);
      desk_ = from;
      signature_ = signature;
      tag_ = ask_tag(loop_number);
    }
    changed_.notify_one();
  }
  // No wish for the loop is under way.
  void end() {
    const std::lock_guard lock(mutex_);
    tag_ = 0;
  }

  // Answers what is there, unless another thread does. For the caller's thread.
  void serve() {
    if (mutex_.try_lock()) {
      const std::lock_guard lock(mutex_, std::adopt_lock);
      answer_all();
    }
  }

 private:
  bool answer_all() {
    bool any = false;
    while (tag_ != 0) {
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

  void answer_until_end() {
    using namespace std::chrono_literals;
    constexpr std::chrono::nanoseconds shortest = 20us;
    constexpr std::chrono::nanoseconds longest = 200us;
    prctl(PR_SET_TIMERSLACK, 1000UL);
    std::unique_lock lock(mutex_);
    for (std::chrono::nanoseconds pause = shortest; !ends_;) {
      if (tag_ == 0) {
        changed_.wait(lock);
        pause = shortest;
      } else if (answer_all()) {
        pause = shortest;
      } else {
        changed_.wait_for(lock, pause);
        pause = std::min(pause * 5 / 4, longest);
      }
    }
  }

  const MPI_Comm comm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  desk* desk_ = nullptr;
  std::uint64_t signature_ = 0;
  int tag_ = 0;  // 0: no loop runs
  bool ends_ = false;
  std::thread thread_;
};

// The source of a rank's pool: rank 0's desk.
class desk_source {
 public:
  // `here` is the desk if this rank has it, else null.
  desk_source(MPI_Comm comm, std::uint64_t loop_number, desk* here)
      : comm_(comm), tag_(ask_tag(loop_number)), here_(here) {}

  bool is_near() const { return here_ != nullptr; }

  void ask(const wish& of) {
    wish_ = of;
    if (is_near()) return;
    MPI_Irecv(&hand_, sizeof hand_, MPI_BYTE, 0, answer_tag, comm_, &requests_[0]);
    MPI_Isend(&wish_, sizeof wish_, MPI_BYTE, 0, tag_, comm_, &requests_[1]);
  }

  bool poll(hand& to) {
    if (is_near()) {
      here_->deal(0, wish_, to);
      return true;
    }
    int came = 0;
    MPI_Testall(2, requests_, &came, MPI_STATUSES_IGNORE);
    if (came != 0) to = hand_;
    return came != 0;
  }

 private:
  const MPI_Comm comm_;
  const int tag_;
  desk* const here_;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  wish wish_;
  hand hand_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
