// Exceptions and stops end a loop on all ranks and reach each caller; wrong calls are found and
// named. Afterwards the world's next loop runs as if nothing had been.
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "ranks.hpp"

namespace doall::tests {
namespace {

// What all ranks of the world still agree on.
void expect_works(mpi::world& w, const char* between) {
  std::atomic<int> ran{0};
  mpi::parallel_for(w, 0, 100, [&](int) { ++ran; }, {.between = between});
  int all = ran.load();
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(all == 100, std::string("the next loop, between=") + between, w.rank());
}

void expect_rank_named(const std::string& said, int failed, const std::string& own, int rank) {
  const std::string others =
      "doall::mpi: rank " + std::to_string(failed) + " gave the loop up: " + own;
  check(said == (rank == failed ? own : others), "\"" + said + "\"", rank);
}

void run_exceptions(mpi::world& w, const char* between) {
  for (int failed = 0; failed < w.size(); ++failed) {
    const auto body = [&](int) {
      if (w.rank() == failed) throw std::range_error("no more");
      compute_for(2'000);
    };
    const auto loop = [&] { mpi::parallel_for(w, 0, 4000, body, {.between = between}); };
    const std::string said = w.rank() == failed ? message_of<std::range_error>(loop)
                                                : message_of<mpi::rank_failed>(loop);
    // A rank may be late for a dealt loop, and get nothing: then nothing is thrown anywhere.
    int threw = said != "no exception" ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &threw, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(threw == 0 || threw == w.size(), "some ranks threw", w.rank());
    if (threw != 0) expect_rank_named(said, failed, "no more", w.rank());
    expect_works(w, between);
  }
}

void run_stops(mpi::world& w, const char* between) {
  const int stopper = w.size() - 1;
  std::stop_source stop;
  std::atomic<int> ran{0};
  if (w.rank() == stopper) stop.request_stop();
  const auto end = mpi::parallel_for(w, 0, 1000, [&](int) { ++ran; },
                                     {.between = between, .stop = stop.get_token()});
  // A stopper that was dealt nothing has stopped nothing.
  if (end == loop_end::stopped) {
    check(w.stopped_by() == stopper, "stopped by " + std::to_string(w.stopped_by()), w.rank());
    if (w.rank() == stopper) check(ran.load() == 0, "ran after the stop", w.rank());
  }
  const bool is_static = std::strcmp(between, "static") == 0;
  check(end == loop_end::stopped || !is_static, "a stop of a block", w.rank());
  const std::string said = message_of<mpi::stopped>([&] {
    mpi::parallel_reduce(w, 0, 1000, 0, [](int i) { return i; }, std::plus<>{},
                         {.between = between, .stop = stop.get_token()});
  });
  check(has(said, "rank " + std::to_string(stopper) + " stopped the loop") || !is_static,
        "\"" + said + "\"", w.rank());
  expect_works(w, between);
}

void expect_wrong_call(const std::string& said, const std::vector<const char*>& parts, int rank) {
  for (const char* part : parts) {
    check(has(said, part), "\"" + said + "\", expected \"" + part + "\"", rank);
  }
}

// The last rank calls something else.
void run_wrong_calls(mpi::world& w, const char* between) {
  if (w.size() == 1) return;
  const bool odd = w.rank() == w.size() - 1;
  const std::string rank = "rank " + std::to_string(w.size() - 1);
  const auto nothing = [](int) {};
  std::string said = message_of<mpi::wrong_call>(
      [&] { mpi::parallel_for(w, 0, odd ? 999 : 1000, nothing, {.between = between}); });
  expect_wrong_call(said,
                    {"rank 0 called parallel_for of 1000 iterations", rank.c_str(),
                     "parallel_for of 999 iterations", "errors.cpp"},
                    w.rank());
  said = message_of<mpi::wrong_call>(
      [&] { mpi::parallel_for(w, 0, 1000, nothing, {.between = odd ? "static,3" : between}); });
  expect_wrong_call(said, {"between \"static,3\"", between}, w.rank());
  // The same loops in another order.
  const auto a = [&] { mpi::parallel_for(w, 0, 50, nothing, {.between = between}); };
  const auto b = [&] {
    mpi::parallel_reduce(w, 0, 50, 0, [](int i) { return i; }, std::plus<>{}, {.between = between});
  };
  for (int turn = 0; turn < 2; ++turn) {
    said = odd == (turn == 0) ? message_of<mpi::wrong_call>(b) : message_of<mpi::wrong_call>(a);
    expect_wrong_call(said, {"parallel_for", "parallel_reduce", "in the same order"}, w.rank());
  }
  expect_works(w, between);
}

void run_refused(mpi::world& w) {
  const auto nothing = [](int) {};
  std::string said = message_of<std::invalid_argument>(
      [&] { mpi::parallel_for(w, 0, 100, nothing, {.between = "lbs"}); });
  check(has(said, "between ranks: schedule \"lbs\" splits"), said, w.rank());
  said = message_of<std::invalid_argument>(
      [&] { mpi::parallel_for(w, 0, 100, nothing, {.between = "guided", .inside = "sws"}); });
  check(has(said, "inside ranks: schedule \"sws\" splits"), said, w.rank());
  const std::vector<double> weights_of_99(99);
  for (const char* between : {"best-static", "wsrw"}) {
    said = message_of<std::invalid_argument>([&] {
      mpi::parallel_for(w, 0, 100, nothing, {.between = between, .costs = weights(weights_of_99)});
    });
    check(has(said, "weights has 99 entries"), said, w.rank());
  }
  // On one rank alone.
  const int odd = w.size() - 1;
  const auto loop = [&] {
    mpi::parallel_for(w, 0, 100, nothing,
                      {.between = "guided", .inside = w.rank() == odd ? "sws" : "guided"});
  };
  if (w.rank() == odd) {
    said = message_of<std::invalid_argument>(loop);
  } else {
    said = message_of<mpi::rank_failed>(loop);
    check(has(said, "rank " + std::to_string(odd) + " gave the loop up: doall::mpi: inside ranks"),
          said, w.rank());
  }
  expect_works(w, "guided");
}

// A rank ends its world while the others run a loop.
void run_left_world() {
  auto w = std::make_unique<mpi::world>(MPI_COMM_WORLD);
  if (w->size() == 1) return;
  const int rank = w->rank();
  if (rank == w->size() - 1) {
    w.reset();
    return;
  }
  const auto loop = [&] { mpi::parallel_for(*w, 0, 1000, [](int) {}, {.between = "guided"}); };
  check(has(message_of<mpi::wrong_call>(loop), "ended its world"), "a rank has left", rank);
  check(has(message_of<mpi::wrong_call>(loop), "no more loops in this world"), "again", rank);
}

}  // namespace
}  // namespace doall::tests

int main(int argc, char** argv) {
  using namespace doall::tests;
  mpi_program program(argc, argv);
  in_worlds([&](doall::mpi::world& w) {
    program.for_each_case([&](doall::base::rng& random) {
      const doall::thread_scope scope(1 + static_cast<std::int64_t>(random.below(3)));
      for (const char* between : {"static", "guided", "dynamic"}) {
        run_exceptions(w, between);
        run_stops(w, between);
        run_wrong_calls(w, between);
      }
      run_refused(w);
    });
  });
  run_left_world();
  return program.finish();
}
