// What dealing a loop between ranks costs, by the clock of one run:
//
//   dealing LEVEL [ROUNDS]      LEVEL: multiple or funneled; on two ranks, one thread each
//
// 1. A loop of 200 iterations, every 20th of 20 ms and the others of 0.5 ms of CPU time: 147.5 ms
//    on two ranks if it were divided ideally. By doall's schedules between ranks; by MPI and
//    OpenMP, an even block each; and by a plain dealer, MPI_Fetch_and_op on a counter of rank 0's.
// 2. A chunk of one empty iteration, beside a bare round trip of messages of the same size: while
//    rank 0 runs iterations of 10 us, and of 200 us.
#include <doall/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int iterations = 200;
constexpr double ideal_ms = (10 * 20.0 + 190 * 0.5) / 2;

double cpu_s() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void compute_for(double seconds) {
  const double end = cpu_s() + seconds;
  while (cpu_s() < end) continue;
}

void uneven(int i) { compute_for(i % 20 == 0 ? 0.02 : 0.0005); }

struct row {
  std::string name;
  std::vector<double> ms;
};

double median(std::vector<double> of) {
  std::ranges::sort(of);
  return of[of.size() / 2];
}

// From the first rank's begin to the last one's end.
template <class Run>
double time_ms(Run run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  run();
  MPI_Barrier(MPI_COMM_WORLD);
  return 1e3 * (MPI_Wtime() - begun);
}

void by_blocks(int rank, int ranks) {
  const int first = iterations * rank / ranks;
  const int last = iterations * (rank + 1) / ranks;
#pragma omp parallel for schedule(dynamic)
  for (int i = first; i < last; ++i) uneven(i);
}

void by_fetch_and_op(MPI_Win window) {
  const long one = 1;
  for (;;) {
    long i = 0;
    MPI_Fetch_and_op(&one, &i, MPI_LONG, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    if (i >= iterations) return;
    uneven(static_cast<int>(i));
  }
}

double round_trip_us(int rank) {
  constexpr int trips = 2000;
  char wish[40] = {};
  char hand[400] = {};
  std::vector<double> us;
  for (int trip = 0; trip < trips; ++trip) {
    const double begun = MPI_Wtime();
    if (rank == 1) {
      MPI_Send(wish, sizeof wish, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
      MPI_Recv(hand, sizeof hand, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
      MPI_Recv(wish, sizeof wish, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(hand, sizeof hand, MPI_BYTE, 1, 6, MPI_COMM_WORLD);
    }
    us.push_back(1e6 * (MPI_Wtime() - begun));
  }
  return median(us);
}

// How long rank 1 takes for a chunk of one empty iteration, while those of rank 0 take so long.
double chunk_us(doall::mpi::world& w, double rank_0_s) {
  constexpr int chunks = 20'000;
  long mine = 0;
  const double begun = MPI_Wtime();
  double ended = begun;
  doall::mpi::parallel_for(w, 0, chunks,
                           [&](int) {
                             if (w.rank() == 0 && rank_0_s > 0) compute_for(rank_0_s);
                             ++mine;
                             if (w.rank() == 1) ended = MPI_Wtime();
                           },
                           {.between = "dynamic"});
  double us = mine == 0 ? 0 : 1e6 * (ended - begun) / static_cast<double>(mine);
  MPI_Bcast(&us, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return us;
}

void compare(doall::mpi::world& w, int rounds) {
  MPI_Win window = MPI_WIN_NULL;
  long* counter = nullptr;
  // Open MPI has no windows over TCP with MPI_THREAD_MULTIPLE.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const bool has_window =
      MPI_Win_allocate(w.rank() == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL,
                       MPI_COMM_WORLD, &counter, &window) == MPI_SUCCESS;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (has_window) MPI_Win_lock_all(0, window);
  std::vector<row> rows(has_window ? 5 : 4);
  for (int round = 0; round < rounds; ++round) {
    std::size_t at = 0;
    for (const char* between : {"dynamic", "guided"}) {
      rows[at].name = std::string("doall, between=") + between;
      rows[at++].ms.push_back(time_ms(
          [&] { doall::mpi::parallel_for(w, 0, iterations, uneven, {.between = between}); }));
    }
    rows[at].name = "doall, between=affinity";
    rows[at++].ms.push_back(time_ms(
        [&] { doall::mpi::parallel_for(w, 0, iterations, uneven, {.between = "affinity"}); }));
    rows[at].name = "MPI+OpenMP, even blocks";
    rows[at++].ms.push_back(time_ms([&] { by_blocks(w.rank(), w.size()); }));
    if (!has_window) continue;
    rows[at].name = "MPI_Fetch_and_op";
    if (w.rank() == 0) *counter = 0;
    rows[at++].ms.push_back(time_ms([&] { by_fetch_and_op(window); }));
  }
  if (has_window) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  if (w.rank() != 0) return;
  if (!has_window) std::puts("  MPI_Fetch_and_op: not run, this MPI makes no window here");
  for (const row& r : rows) {
    const auto [least, most] = std::ranges::minmax(r.ms);
    std::printf("  %-24s %6.1f ms (%.1f to %.1f), %.2f of ideal\n", r.name.c_str(), median(r.ms),
                least, most, median(r.ms) / ideal_ms);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool multiple = argc < 2 || std::strcmp(argv[1], "multiple") == 0;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  {
    doall::mpi::world w(MPI_COMM_WORLD);
    if (w.size() != 2) {
      if (w.rank() == 0) std::fprintf(stderr, "dealing: %d ranks, expected 2\n", w.size());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    compare(w, rounds);
    const double trip = round_trip_us(w.rank());
    for (const double rank_0_s : {0.00001, 0.0002}) {
      std::vector<double> us;
      for (int round = 0; round < rounds; ++round) us.push_back(chunk_us(w, rank_0_s));
      if (w.rank() != 0) continue;
      std::printf(
          "  a chunk of rank 1, rank 0's take %.2f ms: %.2f us, %.2f of a round trip (%.2f us)\n",
          1e3 * rank_0_s, median(us), median(us) / trip, trip);
    }
  }
  MPI_Finalize();
}
