// Ranks that die while the others run loops (Open MPI 5 with ULFM). Each survivor's call throws
// rank_died, which names the dead rank, and none hangs; the survivors shrink the communicator, make
// a new world, and go on.
//
//   deaths LEVEL SEED      LEVEL: as in ranks.hpp; a run is a function of both, and the ranks
//
// Until one rank is left, a rank is chosen, and a moment: an iteration of its, or a time, at which
// a thread of its kills the process, whatever the others do. Meanwhile all run loops: a schedule
// between ranks, a form, threads, what is a node, all chosen anew after each death.
#include <doall/mpi_c.hpp>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ranks.hpp"
#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"

namespace doall::tests {
namespace {

constexpr unsigned watchdog_s = 120;

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

struct plan {
  std::string between;
  int form;  // parallel_for, parallel_for_each, parallel_reduce, C's doall_mpi_for, _reduce
  std::int64_t threads;
  int node_ranks;
  const char* group_nodes;
  int victim;
  bool by_time;
  u64 at;  // an iteration, or ns
  u64 body_ns;
};

plan any_plan(base::rng& random, int ranks) {
  plan p;
  const auto& all = schedules::registry();
  const schedules::entry* e = nullptr;
  do e = &all[random.below(all.size())];
  while (e->has(schedules::splitting));
  p.between = e->name;
  p.form = random.below(2) == 0 ? 0 : static_cast<int>(random.below(5));
  p.threads = 1 + static_cast<std::int64_t>(random.below(3));
  const int node_ranks[] = {1 << 20, 2, 1};
  p.node_ranks = node_ranks[random.below(3)];
  const char* group_nodes[] = {"", "", "1", "2"};
  p.group_nodes = group_nodes[random.below(4)];
  // The dealer dies in a third of the runs.
  p.victim = random.below(3) == 0 ? 0 : static_cast<int>(random.below(static_cast<u64>(ranks)));
  p.by_time = random.below(2) == 0;
  p.at = p.by_time ? random.below(20'000'000) : random.below(200);
  p.body_ns = random.below(3) * 20'000;
  return p;
}

void expect_works(mpi::world& w) {
  const int sum = mpi::parallel_reduce(w, 0, 1000, 0, [](int i) { return i; }, std::plus<>{},
                                       {.between = "guided"});
  check(sum == 499'500, "a sum before the death", w.rank());
}

// Loops of C's form, which call body(). They return what those of C++ throw.
template <class Body>
void loop_by_c(doall_mpi_world* w, const plan& p, Body& body) {
  const doall_mpi_options options = {
      .between = p.between.c_str(), .inside = nullptr, .costs = nullptr};
  int ended = 0;
  if (p.form == 3) {
    const auto one = [](void* context, std::int64_t) {
      (*static_cast<Body*>(context))();
      return 0;
    };
    ended = doall_mpi_for(w, 0, 1000, one, &body, &options);
  } else {
    const auto sum_up = [](void* context, std::int64_t first, std::int64_t last, void* view) {
      (*static_cast<Body*>(context))();
      for (std::int64_t i = first; i < last; ++i) *static_cast<std::int64_t*>(view) += i;
      return 0;
    };
    const auto combine = [](void*, void* left, const void* right) {
      *static_cast<std::int64_t*>(left) += *static_cast<const std::int64_t*>(right);
    };
    std::int64_t sum = 0;
    ended = doall_mpi_reduce(w, 0, 1000, &sum, sizeof sum, sum_up, combine, &body, &options);
    check(sum == (ended == 0 ? 499'500 : 0), "a sum by C", doall_mpi_rank(w));
  }
  if (ended == 0) return;
  check(ended == DOALL_MPI_DIED, "ended with " + std::to_string(ended), doall_mpi_rank(w));
  const mpi::rank_died as(doall_mpi_dead(w));
  check(std::string(as.what()) == doall_mpi_why(w), doall_mpi_why(w), doall_mpi_rank(w));
  throw as;
}

// Loops until one is ended by a death: that rank. Nobody dies before all have made the world, and
// are in its first loop; that may end on the victim before it ends on others.
int loop_until_death(mpi::world& w, doall_mpi_world* of_c, const plan& p) {
  std::atomic<u64> ran{0};
  bool is_first = true;
  const bool is_victim = w.rank() == p.victim;
  auto body = [&] {
    if (is_victim && !p.by_time && ran.fetch_add(1) == p.at) die();
    if (p.body_ns != 0) compute_for(p.body_ns);
  };
  std::optional<std::thread> killer;
  std::vector<int> own(100);
  for (;;) {
    try {
      if (is_first) expect_works(w);
      if (is_first && is_victim && p.by_time) {
        killer.emplace([&] {
          std::this_thread::sleep_for(std::chrono::nanoseconds(p.at));
          die();
        });
      }
      is_first = false;
      if (of_c != nullptr) {
        loop_by_c(of_c, p, body);
      } else if (p.form == 0) {
        mpi::parallel_for(w, 0, 1000, [&](int) { body(); }, {.between = p.between});
      } else if (p.form == 1) {
        mpi::parallel_for_each(w, own, [&](int&) { body(); });
      } else {
        const int sum = mpi::parallel_reduce(w, 0, 1000, 0,
                                             [&](int i) {
                                               body();
                                               return i;
                                             },
                                             std::plus<>{}, {.between = p.between});
        check(sum == 499'500, "a sum", w.rank());
      }
    } catch (const mpi::rank_died& e) {
      check(has(e.what(), "rank " + std::to_string(p.victim) + " has died"), e.what(), w.rank());
      try {
        mpi::parallel_for(w, 0, 10, [](int) {});
        check(false, "a loop in a lost world", w.rank());
      } catch (const mpi::rank_died& again) {
        check(again.rank() == p.victim, again.what(), w.rank());
      }
      return e.rank();
    }
  }
}

void run(MPI_Comm all, base::rng& random) {
  for (;;) {
    int size = 1;
    int rank = 0;
    MPI_Comm_size(all, &size);
    MPI_Comm_rank(all, &rank);
    const plan p = any_plan(random, size);
    const thread_scope scope(p.threads);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split(all, rank / p.node_ranks, rank, &node);
    {
      if (*p.group_nodes != 0) setenv("DOALL_MPI_GROUP_NODES", p.group_nodes, 1);
      std::unique_ptr<doall_mpi_world, decltype(&doall_mpi_end)> of_c(nullptr, doall_mpi_end);
      std::optional<mpi::world> own;
      if (p.form >= 3) {
        of_c.reset(doall_mpi_begin(all));
      } else {
        own.emplace(all, node);
      }
      mpi::world& w = own ? *own : of_c->ranks;
      unsetenv("DOALL_MPI_GROUP_NODES");
      if (size == 1) {
        expect_works(w);
        return;
      }
      std::printf(
          "%d ranks, %s, form %d, %d threads, nodes of %d, groups \"%s\": rank %d, %s %ju\n", size,
          p.between.c_str(), p.form, static_cast<int>(p.threads), p.node_ranks, p.group_nodes,
          p.victim, p.by_time ? "after ns" : "at iteration", uintmax_t{p.at});
      std::fflush(stdout);
      alarm(watchdog_s);  // ends this process alone, with MPI's other ranks behind it
      check(loop_until_death(w, of_c.get(), p) == p.victim, "another rank was named", rank);
    }
    MPI_Comm alive = MPI_COMM_NULL;
    MPIX_Comm_shrink(all, &alive);
    alarm(0);
    all = alive;
    MPI_Comm_set_errhandler(all, MPI_ERRORS_ARE_FATAL);
  }
}

}  // namespace
}  // namespace doall::tests

int main(int argc, char** argv) {
  using namespace doall::tests;
  const std::string level = argc > 1 ? argv[1] : "multiple";
  const int wanted = level == "multiple"     ? MPI_THREAD_MULTIPLE
                     : level == "serialized" ? MPI_THREAD_SERIALIZED
                                             : MPI_THREAD_FUNNELED;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  doall::base::rng random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  run(MPI_COMM_WORLD, random);
  if (check_failures.load() == 0) std::puts("all passed");
  std::fflush(stdout);
  // Not MPI_Finalize(): that of Open MPI 5.0.11 waits for ever in one of five runs whose ranks
  // died.
  std::_Exit(0);
}
