#include "report/ranks.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "process/failure.hpp"
#include "report/report.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

// What a launcher says to its ranks.
struct launcher {
  const char* rank;
  const char* size;
  const char* here;  // how many of them are on this machine
  const char* job;   // null: does not say
  const char* step;  // of the job; null: a job has one
};

// Slurm's are a step's: a job's tasks may be more than a step has.
constexpr launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE",
     nullptr},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", nullptr, nullptr},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_JOB_ID",
     "SLURM_STEP_ID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_JOB_ID", "SLURM_STEP_ID"},
};

std::optional<int> number(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 0 || value > 1'000'000'000) return std::nullopt;
  return static_cast<int>(value);
}

std::string text_of(const char* variable) {
  const char* const text = variable == nullptr ? nullptr : std::getenv(variable);
  return text == nullptr ? "" : text;
}

// Whether the launcher has started this process as a rank. A script of sbatch and a shell of salloc
// have Slurm's variables too, with the step that they themselves are: "batch", "interactive" and
// "extern" by name, or by the numbers from 4294967290 on, which Slurm keeps for such steps.
bool has_started(const launcher& l) {
  if (std::getenv(l.rank) == nullptr) return false;
  return l.step == nullptr || number(l.step).has_value();
}

fs::path parent_of(const mpi_rank& me) {
  if (!me.one_machine) return fs::current_path();
  const std::string folder = text_of("TMPDIR");
  return fs::absolute(folder.empty() ? "/tmp" : folder);
}

// Its name can be guessed, and its parent may be everybody's: so it is nobody else's to write to.
void make_own_folder(const fs::path& folder) {
  constexpr mode_t for_its_owner = 0700;
  if (mkdir(folder.c_str(), for_its_owner) != 0 && errno != EEXIST) return;  // as said below
  struct stat found{};
  const bool is_own = lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                      found.st_uid == geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (is_own) return;
  throw failure(failed, fmt::format("will not leave the reports of the job's ranks in {}: it is "
                                    "expected to be this user's folder, to which nobody else may "
                                    "write; TMPDIR names another parent",
                                    folder.string()));
}

}  // namespace

std::optional<mpi_rank> this_rank() {
  for (const launcher& l : launchers) {
    if (!has_started(l)) continue;
    const auto rank = number(l.rank);
    const auto size = number(l.size);
    if (!rank || !size) continue;
    if (*size < 2 || *rank >= *size) return std::nullopt;
    mpi_rank me{*rank, *size, number(l.here) == size, text_of(l.job)};
    // MPICH's ranks of a machine have one parent.
    if (l.job == nullptr && me.one_machine) me.job = std::to_string(getppid());
    if (l.step != nullptr) me.job += "." + text_of(l.step);
    return me;
  }
  return std::nullopt;
}

bool is_mpi_rank() {
  if (std::getenv("PMIX_RANK") != nullptr) return true;
  return std::ranges::any_of(launchers, has_started);
}

rank_folder::rank_folder(const mpi_rank& me, const std::string& report_file) : me_(me) {
  const std::string suffix = me.job.empty() ? "" : "-" + me.job;
  folder_ = report_file.empty()
                ? parent_of(me) / ("doall-ranks-" + std::to_string(getuid()) + suffix)
                : fs::absolute(report_file + ".ranks" + suffix);
  std::error_code error;
  fs::create_directories(folder_.parent_path(), error);
  make_own_folder(folder_);
  // What a job of the same name left, that was ended.
  fs::remove(mark_of(me_.rank), error);
  fs::remove_all(own(), error);
  fs::create_directories(own(), error);
  if (error) {
    throw failure(failed, fmt::format("cannot make the folder {} for the reports of the job's "
                                      "ranks: {}",
                                      own().string(), error.message()));
  }
}

rank_folder::~rank_folder() {
  std::error_code ignored;
  if (last_) fs::remove_all(folder_, ignored);
}

bool rank_folder::is_last() {
  std::error_code error;
  std::ofstream(mark_of(me_.rank)).close();
  for (int r = 0; r < me_.size; ++r) {
    if (!fs::exists(mark_of(r), error)) waits_for_.push_back(r);
  }
  if (!fs::exists(mark_of(me_.rank), error)) waits_for_.clear();  // another one has taken them all
  if (!waits_for_.empty()) return false;
  // Two may see all marks at the same time. Only one can rename the folder.
  fs::path mine = folder_;
  mine += ".all";
  fs::rename(folder_, mine, error);
  if (error) return false;
  folder_ = mine;
  return last_ = true;
}

std::vector<fs::path> rank_folder::folders() const {
  std::vector<fs::path> all;
  for (int r = 0; r < me_.size; ++r) all.push_back(of(r));
  return all;
}

std::vector<observe::report> rank_folder::gather() const {
  std::vector<observe::report> all;
  for (int r = 0; r < me_.size; ++r) {
    for (observe::report& one : gather_reports(of(r))) {
      one.rank = r;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace doall::cli
