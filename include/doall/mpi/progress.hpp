// How far a dealt loop is, on rank 0's standard error, once a second: for who has asked by
// DOALL_MPI_PROGRESS=1.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// Called by one thread at a time.
class progress {
 public:
  progress() {
    const char* const asked = std::getenv("DOALL_MPI_PROGRESS");
    if (asked == nullptr || std::strcmp(asked, "0") == 0) return;
    wanted_ = std::strcmp(asked, "1") == 0;
    if (!wanted_) {
      std::fprintf(stderr,
                   "doall: DOALL_MPI_PROGRESS=%s is ignored: expected 0 or 1; no progress is "
                   "shown\n",
                   asked);
    }
  }

  void begin(const char* file, std::uint32_t line, std::uint64_t iterations) {
    if (!wanted_) return;
    file_ = file;
    line_ = line;
    iterations_ = iterations;
    told_ = clock::now();
    begun_ = told_;
    any_ = false;
  }

  bool is_due() const { return wanted_ && clock::now() - told_ >= std::chrono::seconds(1); }

  // So many iterations are not dealt yet.
  void tell(std::uint64_t left) {
    told_ = clock::now();
    any_ = true;
    const double dealt = 100.0 * static_cast<double>(iterations_ - left) /
                         static_cast<double>(iterations_ == 0 ? 1 : iterations_);
    const std::chrono::duration<double> runs = told_ - begun_;
    std::fprintf(stderr, "\rdoall: %s:%u: %.0f %% dealt, %.0f s", file_, line_, dealt,
                 runs.count());
  }

  void end() {
    if (any_) std::fputc('\n', stderr);
    any_ = false;
  }

 private:
  using clock = std::chrono::steady_clock;

  bool wanted_ = false;
  bool any_ = false;
  const char* file_ = "";
  std::uint32_t line_ = 0;
  std::uint64_t iterations_ = 0;
  clock::time_point begun_;
  clock::time_point told_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
