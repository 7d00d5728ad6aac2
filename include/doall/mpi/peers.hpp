// The ranks of a world and their communicator, and whether one of them has died.
//
// Without ULFM (c_interface.h) MPI ends the job when a rank dies, and nothing here does anything.
// With it, each operation on the communicator returns an error once it cannot be completed. The
// first rank that gets one *loses* the world: it revokes the communicator, so that all operations
// on it, also those under way, return an error on all ranks. A rank that calls no MPI while it
// waits (pool.hpp) looks: asks MPI for a message that nobody sends, which also fails then.
//
// State: whether the world is lost, for good. Any thread that may call MPI.
// Cost: none without ULFM; with it a look each millisecond.
#pragma once

#include <doall/mpi/c_interface.h>
#include <doall/mpi/errors.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

inline std::uint64_t monotonic_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

class peers {
 public:
  static constexpr bool may_die = DOALL_MPI_ULFM != 0;

  explicit peers(MPI_Comm of) {
    const int made = MPI_Comm_dup(of, &comm_);
    if (!may_die) return;
    if (made != MPI_SUCCESS) {
      throw std::runtime_error(
          "doall::mpi: MPI_Comm_dup failed, so no world was made; expected a communicator whose "
          "ranks are all alive (MPIX_Comm_shrink makes one)");
    }
    // Until watch(): a world is made by all ranks, or none.
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  }
  peers(const peers&) = delete;
  peers& operator=(const peers&) = delete;

  // From now on errors are returned.
  void watch() {
    if (may_die) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  // Collective.
  void leave() { MPI_Comm_free(&comm_); }

  MPI_Comm comm() const { return comm_; }

  bool lost() const { return may_die && lost_.load(); }

  // What an operation on the communicator returned. False: the world is lost.
  bool ok(int code) {
    if (!may_die || code == MPI_SUCCESS) return true;
    if (!lost() && !is_of_death(code)) MPI_Abort(comm_, code);  // as without ULFM
    lose();
    return false;
  }

  // Asks MPI, if it has not been asked in the last millisecond, whether the world is lost.
  bool look() {
    if (!may_die || lost()) return lost();
    constexpr std::uint64_t pause_ns = 1'000'000;
    const std::uint64_t now_ns = monotonic_ns();
    if (now_ns < looks_ns_.load()) return false;
    looks_ns_.store(now_ns + pause_ns);
    int there = 0;
    ok(MPI_Iprobe(MPI_ANY_SOURCE, look_tag, comm_, &there, MPI_STATUS_IGNORE));
    return lost();
  }

  // After the world was lost: the first rank that has died, as far as MPI knows here; -1 if it has
  // not said so for ten seconds.
  int dead() const {
    using namespace std::chrono_literals;
    for (int looks = 0; looks < 10'000; ++looks) {
      const int found = first_dead();
      if (found >= 0) return found;
      int there = 0;  // MPI learns of it while it is called
      MPI_Iprobe(MPI_ANY_SOURCE, look_tag, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(1ms);
    }
    return -1;
  }

 private:
  static constexpr int look_tag = 4;  // of no message

#if DOALL_MPI_ULFM
  void lose() {
    if (!lost_.exchange(true)) MPIX_Comm_revoke(comm_);
  }
  // Libraries below MPI may notice a death first, and report an error of their own.
  bool is_of_death(int code) const {
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    return kind == MPIX_ERR_PROC_FAILED || kind == MPIX_ERR_PROC_FAILED_PENDING ||
           kind == MPIX_ERR_REVOKED || dead() >= 0;
  }
  int first_dead() const {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group failed = MPI_GROUP_NULL;
    MPI_Comm_group(comm_, &all);
    if (MPIX_Comm_get_failed(comm_, &failed) != MPI_SUCCESS) failed = MPI_GROUP_EMPTY;
    int size = 0;
    MPI_Group_size(failed, &size);
    std::vector<int> in_failed(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) in_failed[static_cast<std::size_t>(i)] = i;
    std::vector<int> ranks(static_cast<std::size_t>(size));
    MPI_Group_translate_ranks(failed, size, in_failed.data(), all, ranks.data());
    if (failed != MPI_GROUP_EMPTY) MPI_Group_free(&failed);
    MPI_Group_free(&all);
    return ranks.empty() ? -1 : *std::ranges::min_element(ranks);
  }
#else
  void lose() {}
  bool is_of_death(int) const { return false; }
  int first_dead() const { return -1; }
#endif

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> looks_ns_{0};
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
