// N bodies that attract each other, over the ranks of an MPI job: who has a body computes what acts
// on it. mpirun -n 4 nbody_mpi [BODIES [STEPS]] prints the energy before and after, the same digits
// for any ranks and threads, and who has what.
//
// A rank has the bodies of its share() and moves them. All positions, 24 bytes a body, are
// exchanged after each step by the program's own MPI: doall moves no data. Beside the loops, MPI
// and OpenMP:
//
//   const int first = 1L * n * rank / ranks, last = 1L * n * (rank + 1) / ranks;
//   #pragma omp parallel for
//   for (int i = first; i < last; ++i) ...
//   double e = 0;                                      // other digits for other ranks and threads
//   #pragma omp parallel for reduction(+ : e)
//   for (int i = first; i < last; ++i) e += ...
//   MPI_Allreduce(MPI_IN_PLACE, &e, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#include <doall/mpi.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

struct vec {
  double x, y, z;
};

static vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static void add(vec& to, double part, vec of) {
  to.x += part * of.x, to.y += part * of.y, to.z += part * of.z;
}

// All bodies have the mass 1/n. Near each other they attract as if they were so far apart.
constexpr double least_square = 1e-4;

static vec acceleration(const std::vector<vec>& at, std::size_t i) {
  vec sum{};
  for (const vec& other : at) {
    const vec d = other - at[i];
    const double square = dot(d, d) + least_square;
    add(sum, 1 / (square * std::sqrt(square)), d);
  }
  const double mass = 1 / static_cast<double>(at.size());
  return {mass * sum.x, mass * sum.y, mass * sum.z};
}

// Every rank's block goes to all.
static void exchange(std::vector<vec>& of, doall::range<std::uint64_t> mine, int ranks) {
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  std::vector<int> begins(counts.size());
  const int count = static_cast<int>(3 * mine.size());
  const int begin = static_cast<int>(3 * mine.first());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgather(&begin, 1, MPI_INT, begins.data(), 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, of.data(), counts.data(), begins.data(),
                 MPI_DOUBLE, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  constexpr double step = 1e-3;
  {
    doall::mpi::world w(MPI_COMM_WORLD);
    const doall::range<std::uint64_t> mine = doall::mpi::share(w, n);
    std::vector<vec> at(n);                // of all
    std::vector<vec> moves(n, vec{});      // of this rank's
    for (std::size_t i = 0; i < n; ++i) {  // on a spiral through a ball
      const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
      const double turn = 2.399963 * static_cast<double>(i);
      const double r = std::cbrt(part);
      const double z = 1 - 2 * std::fmod(part * 89, 1.0);
      const double across = r * std::sqrt(1 - z * z);
      at[i] = {across * std::cos(turn), across * std::sin(turn), r * z};
    }
    const auto energy = [&] {
      return doall::mpi::parallel_reduce(
          w, std::size_t{0}, n, 0.0,
          [&](std::size_t i) {
            double potential = 0;
            for (std::size_t j = 0; j < n; ++j) {
              const vec d = at[j] - at[i];
              if (j != i) potential -= 1 / std::sqrt(dot(d, d) + least_square);
            }
            return dot(moves[i], moves[i]) / 2 + potential / (2 * static_cast<double>(n));
          },
          std::plus<>{});
    };
    const double before = energy();
    for (int s = 0; s < steps; ++s) {
      // On one machine: doall::parallel_for(std::size_t{0}, n, ...).
      doall::mpi::parallel_for(w, std::size_t{0}, n,
                               [&](std::size_t i) { add(moves[i], step, acceleration(at, i)); });
      doall::mpi::parallel_for(w, std::size_t{0}, n,
                               [&](std::size_t i) { add(at[i], step, moves[i]); });
      exchange(at, mine, w.size());
    }
    // A reduction's parts do not end where shares do: its data are wanted on all ranks.
    exchange(moves, mine, w.size());
    const double after = energy();
    if (w.rank() == 0) std::printf("energy: %.17g, then %.17g\n", before, after);
    std::fprintf(stderr, "rank %d of %d has %ju bodies\n", w.rank(), w.size(),
                 static_cast<std::uintmax_t>(mine.size()));
  }
  MPI_Finalize();
}
