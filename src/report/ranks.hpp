// One report for all ranks of an MPI job: `mpirun -n 4 doall run --report ./app`.
//
// Each rank has a command of its own. All leave what their processes report in one folder, which is
// named after the job; the command that ends last puts it together. So nobody waits, and nothing is
// sent. A job on several machines needs a folder that all of them see: beside the report's file or,
// for a table, the current one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "observe/record.hpp"

namespace doall::cli {

struct mpi_rank {
  int rank = 0;
  int size = 1;
  bool one_machine = true;  // all ranks are here
  std::string job;          // no other job's that runs or has run here; "": not known
};

// As the launcher says: Open MPI's, MPICH's, Slurm's. Nothing outside of a job, in one of a single
// rank, and in a batch script, which is none.
std::optional<mpi_rank> this_rank();

// Whether this process is a rank of a job of any size.
bool is_mpi_rank();

class rank_folder {
 public:
  // `report_file`: where the report goes, or "" for standard error. Throws failure (failed).
  rank_folder(const mpi_rank& me, const std::string& report_file);
  // Removes the folder, of the last rank.
  ~rank_folder();
  rank_folder(const rank_folder&) = delete;
  rank_folder& operator=(const rank_folder&) = delete;

  bool is_first() const { return me_.rank == 0; }

  // For the reports of this rank's processes.
  std::filesystem::path own() const { return of(me_.rank); }

  // This rank is done. Returns whether it is the last: true for one rank of the job, at most once.
  bool is_last();

  // Those that had not ended when is_last() asked.
  const std::vector<int>& waits_for() const { return waits_for_; }

  // The reports of all ranks, in their order; of the last rank.
  std::vector<observe::report> gather() const;

  // Where all ranks' reports are, in their order.
  std::vector<std::filesystem::path> folders() const;

 private:
  std::filesystem::path of(int rank) const { return folder_ / ("rank-" + std::to_string(rank)); }

  std::filesystem::path mark_of(int rank) const {
    return folder_ / ("done-" + std::to_string(rank));
  }

  const mpi_rank me_;
  std::filesystem::path folder_;
  std::vector<int> waits_for_;
  bool last_ = false;
};

}  // namespace doall::cli
