// The ranks that share memory: this one's node, and the shelf in their memory; and where it is in
// the tree of dealers.
#pragma once

#include <doall/mpi/c_interface.h>
#include <doall/mpi/groups.hpp>
#include <doall/mpi/peers.hpp>
#include <doall/mpi/shelf.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// Construction and leave() are collective over the ranks of `all`.
class node {
 public:
  // `ranks`: a communicator of the ranks that share memory, or MPI_COMM_NULL for those of one
  // machine.
  node(MPI_Comm all, MPI_Comm ranks) {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    if (ranks == MPI_COMM_NULL) {
      MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm_);
    } else {
      MPI_Comm_dup(ranks, &comm_);
    }
    if (peers::may_die) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
    int own = 0;
    int size = 1;
    MPI_Comm_rank(comm_, &own);
    MPI_Comm_size(comm_, &size);
    ranks_.resize(static_cast<std::size_t>(size));
    const auto mine = static_cast<std::uint32_t>(rank);
    MPI_Allgather(&mine, 1, MPI_UINT32_T, ranks_.data(), 1, MPI_UINT32_T, comm_);
    std::uint32_t group_nodes = rank == 0 ? asked_group_nodes() : 0;
    MPI_Bcast(&group_nodes, 1, MPI_UINT32_T, 0, all);
    int all_ranks = 1;
    MPI_Comm_size(all, &all_ranks);
    std::vector<std::uint32_t> first_of(static_cast<std::size_t>(all_ranks));
    MPI_Allgather(ranks_.data(), 1, MPI_UINT32_T, first_of.data(), 1, MPI_UINT32_T, all);
    groups_ = groups::of(first_of, mine, group_nodes);
    const auto count = static_cast<std::uint32_t>(size);
    const std::size_t bytes = shelf::bytes(count);
    void* at = nullptr;
    if (size == 1) {
      own_memory_ = std::make_unique<std::byte[]>(bytes);
      at = own_memory_.get();
    } else {
      MPI_Win_allocate_shared(own == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL, comm_,
                              &at, &window_);
      MPI_Aint first_bytes = 0;
      int unit = 1;
      MPI_Win_shared_query(window_, 0, &first_bytes, &unit, &at);
      MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    }
    if (own == 0) shelf_.emplace(at, count, 0, true);
    MPI_Barrier(comm_);
    if (own != 0) shelf_.emplace(at, count, static_cast<std::uint32_t>(own), false);
  }
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  // Gives the memory back: once no rank uses it.
  void leave() {
    if (peers::may_die) {
      MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
      if (window_ != MPI_WIN_NULL) MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    }
    if (window_ != MPI_WIN_NULL) {
      MPI_Win_unlock_all(window_);
      MPI_Win_free(&window_);
    }
    MPI_Comm_free(&comm_);
  }

  shelf& shared() { return *shelf_; }
  const std::vector<std::uint32_t>& ranks() const { return ranks_; }  // in the order of rows
  bool has(std::uint32_t rank) const { return std::ranges::find(ranks_, rank) != ranks_.end(); }
  // All ranks are in it.
  bool is_only() const { return !groups_.is_tree() && groups_.is_one_node; }
  const groups& tree() const { return groups_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::uint32_t> ranks_;
  groups groups_;
  std::unique_ptr<std::byte[]> own_memory_;
  std::optional<shelf> shelf_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
