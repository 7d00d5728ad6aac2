// PageRank over the ranks of an MPI job: who has a page computes its rank. Pages differ in how many
// others link to them by a factor of a thousand, so blocks have equal cost, not equal length.
// mpirun -n 4 pagerank_mpi [PAGES [ROUNDS]] prints the sum of all ranks and the page with the
// greatest, the same digits for any ranks and threads, and how many pages and links each rank has.
//
// Ranks of pages that are elsewhere, the ghosts, are exchanged after each round by the program's
// own MPI. Beside the loop, MPI and OpenMP, where pages in equal numbers leave rank 0 with most
// links:
//
//   #pragma omp parallel for schedule(dynamic, 64)
//   for (long p = first; p < last; ++p) next[p] = ...
#include <doall/mpi.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using count = std::uint64_t;

// Page p is linked to by 1 + n / (8 (p + 1)) pages, spread over all: few have most links.
struct web {
  count pages;

  count links_to(count p) const { return 1 + pages / (8 * (p + 1)); }
  count link(count p, count k) const { return (p * 2654435761U + k * 40503U + k * k * 7U) % pages; }
};

struct best {
  double rank;
  count page;
};

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const web all{argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000};
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
  {
    doall::mpi::world w(MPI_COMM_WORLD);
    // What page p costs: its links. The owner of a page is who computes it, so data go by this too.
    const auto cost = doall::cost([&](count p) { return all.links_to(p); });
    const doall::range<count> mine = doall::mpi::share(w, all.pages, cost);
    std::vector<int> counts(static_cast<std::size_t>(w.size()));
    std::vector<int> begins(counts.size());
    const int length = static_cast<int>(mine.size());
    const int begin = static_cast<int>(mine.first());
    MPI_Allgather(&length, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&begin, 1, MPI_INT, begins.data(), 1, MPI_INT, MPI_COMM_WORLD);

    std::vector<int> leaving(all.pages);  // links from each page
    for (count p = 0; p < all.pages; ++p) {
      for (count k = 0; k < all.links_to(p); ++k) ++leaving[all.link(p, k)];
    }
    std::vector<double> rank(all.pages, 1.0 / static_cast<double>(all.pages));
    std::vector<double> next(all.pages);
    for (int round = 0; round < rounds; ++round) {
      // On one machine: doall::parallel_for(count{0}, all.pages, ..., {.costs = cost}).
      doall::mpi::parallel_for(w, count{0}, all.pages,
                               [&](count p) {
                                 double sum = 0;
                                 for (count k = 0; k < all.links_to(p); ++k) {
                                   const count from = all.link(p, k);
                                   sum += rank[from] / leaving[from];
                                 }
                                 next[p] = 0.15 / static_cast<double>(all.pages) + 0.85 * sum;
                               },
                               {.costs = cost});
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, next.data(), counts.data(), begins.data(),
                     MPI_DOUBLE, MPI_COMM_WORLD);
      rank.swap(next);
    }
    const auto of = [&](count p) { return rank[p]; };
    const double sum = doall::mpi::parallel_reduce(w, count{0}, all.pages, 0.0, of, std::plus<>{});
    const best first = doall::mpi::parallel_reduce(
        w, count{0}, all.pages, best{0, 0}, [&](count p) { return best{rank[p], p}; },
        [](best a, best b) { return b.rank > a.rank ? b : a; });
    if (w.rank() == 0) {
      std::printf("sum of ranks: %.17g, first: page %ju, %.17g\n", sum,
                  static_cast<std::uintmax_t>(first.page), first.rank);
    }
    count links = 0;
    for (count p = mine.first(); p < mine.last(); ++p) links += all.links_to(p);
    std::fprintf(stderr, "rank %d of %d has %ju pages and %ju links to them\n", w.rank(), w.size(),
                 static_cast<std::uintmax_t>(mine.size()), static_cast<std::uintmax_t>(links));
  }
  MPI_Finalize();
}
