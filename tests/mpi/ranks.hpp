// What the programs of this folder share: each runs under mpirun on several ranks, and says on rank
// 0 how many checks failed on any.
//
//   PROGRAM LEVEL [CASES]     LEVEL: multiple, serialized or funneled; CASES: as DOALL_TEST_CASES
//
// DOALL_TEST_SEED=n runs the one case n.
#pragma once

#include <doall/mpi.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/arith.hpp"
#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/rng.hpp"

namespace doall::tests {

using base::u64;

inline std::atomic<int> check_failures{0};

inline void check(bool condition, const std::string& what, int rank) {
  if (condition) return;
  if (check_failures.fetch_add(1) < 20) {
    std::fprintf(stderr, "rank %d: wrong: %s\n", rank, what.c_str());
  }
}

// Initialises MPI as the first argument says, and ends with what all ranks found.
class mpi_program {
 public:
  mpi_program(int argc, char** argv) {
    const std::string level = argc > 1 ? argv[1] : "multiple";
    const int wanted = level == "multiple"     ? MPI_THREAD_MULTIPLE
                       : level == "serialized" ? MPI_THREAD_SERIALIZED
                                               : MPI_THREAD_FUNNELED;
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    if (provided < wanted) std::fprintf(stderr, "MPI provides level %d alone\n", provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    const u64 usual = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10;
    last_ =
        base::env_number("DOALL_TEST_CASES", 1, u64{1} << 32, "the usual ones").value_or(usual) *
        base::env_number("DOALL_TEST_LONG", 1, 1'000'000, "1").value_or(1);
    if (const auto seed = base::env_number("DOALL_TEST_SEED", 0, base::u64_max, "all cases")) {
      first_ = last_ = *seed;
    }
  }

  // Runs body(random) on each case, on all ranks with the same numbers.
  template <class Body>
  void for_each_case(Body body) {
    for (u64 seed = first_; seed <= last_; ++seed) {
      base::rng random(seed);
      body(random);
      if (any_failed()) {
        if (rank_ == 0) std::fprintf(stderr, "to repeat: DOALL_TEST_SEED=%ju\n", uintmax_t{seed});
        return;
      }
    }
  }

  int finish() {
    const bool failed = any_failed();
    MPI_Finalize();
    if (rank_ == 0) std::puts(failed ? "failed" : "all passed");
    return failed ? 1 : 0;
  }

 private:
  static bool any_failed() {
    int failures = check_failures.load();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return failures != 0;
  }

  int rank_ = 0;
  u64 first_ = 1;
  u64 last_ = 1;
};

// A communicator of this rank's node, if at most so many ranks of a machine were one.
class node_of {
 public:
  explicit node_of(int ranks) {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int rank = 0;
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_split(machine, rank / ranks, rank, &comm_);
    MPI_Comm_free(&machine);
  }
  ~node_of() { MPI_Comm_free(&comm_); }
  node_of(const node_of&) = delete;
  node_of& operator=(const node_of&) = delete;
  MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Runs body(world) in worlds whose nodes are this machine, two ranks, and one rank; the last two
// also in a tree of dealers, with so many nodes a group. Without a number rank 0 deals to all.
template <class Body>
void in_worlds(Body body) {
  struct shape {
    int ranks;
    const char* group_nodes;
  };
  for (const shape& of : {shape{1 << 20, ""}, {2, ""}, {1, ""}, {2, "1"}, {1, "2"}, {1, "1"}}) {
    const node_of node(of.ranks);
    if (*of.group_nodes != 0) setenv("DOALL_MPI_GROUP_NODES", of.group_nodes, 1);
    mpi::world w(MPI_COMM_WORLD, node.comm());
    unsetenv("DOALL_MPI_GROUP_NODES");
    body(w);
  }
}

// Keeps the thread busy.
inline void compute_for(u64 ns) {
  const u64 until = base::now_ns() + ns;
  while (base::now_ns() < until) continue;
}

// The message of the exception of that type that `run` throws; else what happened instead.
template <class Exception, class Run>
std::string message_of(Run run) {
  try {
    run();
  } catch (const Exception& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "no exception";
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace doall::tests
