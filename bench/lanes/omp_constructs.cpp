// Regions, worksharing, synchronisation, and schedules.
#include "lanes/omp_lines.hpp"

namespace doall::bench {
namespace {

// Calls body() `runs` times on each thread of one region.
template <class Body>
void in_region(runs_number runs, const Body& body) {
#pragma omp parallel
  for (runs_number r = 0; r < runs; ++r) body();
}

constexpr auto regions = [](auto body, runs_number runs) {
  for (; runs > 0; --runs) {
#pragma omp parallel
    body.run();
  }
};

constexpr auto combined_loops = [](auto body, runs_number runs) {
  const int threads = omp_get_max_threads();
  for (; runs > 0; --runs) {
#pragma omp parallel for
    for (int i = 0; i < threads; ++i) body.run();
  }
};

constexpr auto loops = [](auto body, runs_number runs) {
  const int threads = omp_get_max_threads();
  in_region(runs, [=] {
#pragma omp for
    for (int i = 0; i < threads; ++i) body.run();
  });
};

constexpr auto barriers = [](auto body, runs_number runs) {
  in_region(runs, [=] {
    body.run();
#pragma omp barrier
  });
};

constexpr auto singles = [](auto body, runs_number runs) {
  in_region(runs, [=] {
#pragma omp single
    body.run();
  });
};

constexpr auto criticals = [](auto body, runs_number runs) {
  in_region(runs, [=] {
#pragma omp critical
    body.run();
  });
};

class lock {
 public:
  lock() { omp_init_lock(&lock_); }
  ~lock() { omp_destroy_lock(&lock_); }
  lock(const lock&) = delete;
  lock& operator=(const lock&) = delete;

  template <class Body>
  void hold(Body body) {
    omp_set_lock(&lock_);
    body.run();
    omp_unset_lock(&lock_);
  }

 private:
  omp_lock_t lock_;
};

constexpr auto locks = [](auto body, runs_number runs) {
  lock shared;
  in_region(runs, [&] { shared.hold(body); });
};

// One thread, nobody else.
constexpr auto locks_alone = [](auto body, runs_number runs) {
  lock own;
  for (; runs > 0; --runs) own.hold(body);
};

constexpr auto ordered_iterations = [](auto body, runs_number runs) {
  runs_number before = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (runs_number i = 0; i < runs; ++i) {
#pragma omp ordered
    {
      body.run();
      body.expect(before++, i);
    }
  }
};

constexpr auto atomics = [](auto body, runs_number runs) {
  double sum = 0;
  in_region(runs, [&] {
    body.run();
#pragma omp atomic
    sum += 1;
  });
  body.expect(static_cast<std::uint64_t>(sum),
              runs * static_cast<std::uint64_t>(omp_get_max_threads()));
};

constexpr auto reductions = [](auto body, runs_number runs) {
  for (; runs > 0; --runs) {
    std::uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      body.run();
      sum += 1;
    }
    body.expect(sum, static_cast<std::uint64_t>(omp_get_max_threads()));
  }
};

// --- Schedules: a loop of so many iterations a thread.

constexpr int iterations_a_thread = 128;
inline int iterations() { return iterations_a_thread * omp_get_max_threads(); }

constexpr auto static_loops = [](auto body, runs_number runs) {
  const int n = iterations();
  in_region(runs, [=] {
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) body.run();
  });
};

template <int Chunk>
constexpr auto static_chunks = [](auto body, runs_number runs) {
  const int n = iterations();
  in_region(runs, [=] {
#pragma omp for schedule(static, Chunk)
    for (int i = 0; i < n; ++i) body.run();
  });
};

template <int Chunk>
constexpr auto dynamic_chunks = [](auto body, runs_number runs) {
  const int n = iterations();
  in_region(runs, [=] {
#pragma omp for schedule(dynamic, Chunk)
    for (int i = 0; i < n; ++i) body.run();
  });
};

template <int Chunk>
constexpr auto guided_chunks = [](auto body, runs_number runs) {
  const int n = iterations();
  in_region(runs, [=] {
#pragma omp for schedule(guided, Chunk)
    for (int i = 0; i < n; ++i) body.run();
  });
};

template <int Chunk>
void add_chunked(std::vector<line>& all, std::uint64_t n) {
  const std::string chunk = ',' + std::to_string(Chunk);
  all.push_back(make_line("schedule/static" + chunk, n, static_chunks<Chunk>));
  all.push_back(make_line("schedule/dynamic" + chunk, n, dynamic_chunks<Chunk>));
  all.push_back(make_line("schedule/guided" + chunk, n, guided_chunks<Chunk>));
}

}  // namespace

std::vector<line> construct_lines(unsigned threads) {
  return {make_line("construct/parallel", threads, regions),
          make_line("construct/for", threads, loops),
          make_line("construct/parallel-for", threads, combined_loops),
          make_line("construct/barrier", threads, barriers),
          make_line<excluding>("construct/single", 1, singles),
          make_line<excluding>("construct/critical", threads, criticals),
          make_line<excluding>("construct/lock", threads, locks),
          make_line<excluding>("construct/lock-alone", 1, locks_alone),
          make_line<excluding>("construct/ordered", 1, ordered_iterations),
          make_line("construct/atomic", threads, atomics),
          make_line("construct/reduction", threads, reductions)};
}

std::vector<line> schedule_lines(unsigned threads) {
  const std::uint64_t n = std::uint64_t{iterations_a_thread} * threads;
  std::vector<line> all{make_line("schedule/static", n, static_loops)};
  add_chunked<1>(all, n);
  add_chunked<8>(all, n);
  add_chunked<64>(all, n);
  return all;
}

}  // namespace doall::bench
