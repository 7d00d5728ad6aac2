// The Mandelbrot set over the ranks of an MPI job: rows differ in cost by a factor of a hundred,
// and rank 0 deals them. mpirun -n 4 mandelbrot_mpi [SIZE] prints how many points are in the set,
// the same number for any ranks and threads, and who ran what.
#include <doall/mpi.hpp>

#include <atomic>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>

// Steps until |z| > 2, at most `most`.
static int steps_of(std::complex<double> c, int most) {
  std::complex<double> z = 0;
  int steps = 0;
  while (steps < most && std::norm(z) <= 4) z = z * z + c, ++steps;
  return steps;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int size = argc > 1 ? std::atoi(argv[1]) : 400;
  constexpr int most = 500;
  {
    doall::mpi::world w(MPI_COMM_WORLD);
    std::atomic<long> rows{0};
    const auto row = [&](int y) {
      ++rows;
      long inside = 0;
      for (int x = 0; x < size; ++x) {
        const std::complex<double> c(3.0 * x / size - 2.25, 3.0 * y / size - 1.5);
        if (steps_of(c, most) == most) ++inside;
      }
      return inside;
    };
    // On one machine: doall::parallel_reduce(0, size, 0L, row, std::plus<>{}).
    const long points =
        doall::mpi::parallel_reduce(w, 0, size, 0L, row, std::plus<>{}, {.between = "guided"});
    if (w.rank() == 0) std::printf("in the set: %ld of %ld\n", points, 1L * size * size);
    std::fprintf(stderr, "rank %d of %d ran %ld rows\n", w.rank(), w.size(), rows.load());
  }
  MPI_Finalize();
}
