// doall::mpi: loops shared among the ranks of an MPI job, and inside each rank among its threads.
//
//   MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
//   {
//     doall::mpi::world w(MPI_COMM_WORLD);
//     doall::mpi::parallel_for(w, 0, n, body);                          // static: my block is mine
//     doall::mpi::parallel_for(w, 0, n, body, {.between = "guided"});   // dealt by rank 0
//     double sum = doall::mpi::parallel_reduce(w, 0, n, 0.0, body, std::plus<>{});
//   }
//   MPI_Finalize();
//
// A header alone, as the binary interfaces of MPI differ: compile with your MPI's mpicxx, link with
// -ldoall. libdoall knows nothing of MPI. docs/guide/mpi.md is the guide.
//
//   world              the ranks of a communicator
//   parallel_for       over indices, or ranges of them
//   parallel_for_each  over the elements that each rank has
//   parallel_reduce    one result, with the same bits for any ranks, threads and schedules
//   share              a rank's block under the default schedule, to place data by
//   loop_options       schedules between and inside ranks, stop token, costs
#pragma once

#include <doall/detail/language.hpp>

#include <doall/doall.hpp>
#include <doall/mpi/errors.hpp>
#include <doall/mpi/loop.hpp>
#include <doall/mpi/options.hpp>
#include <doall/mpi/reduce.hpp>
#include <doall/mpi/world.hpp>

#include <cstdint>
#include <optional>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace mpi {

// Runs body(i) for every i in [first, last), or body(range) on ranges that together are
// [first, last), each on one rank, and returns on all ranks when all have run. Collective: all
// ranks pass the same bounds, schedule between ranks and costs. Memory is each rank's own: what
// iterations leave is where they ran.
//
// An exception that leaves a body ends the loop on all ranks: each ends after the chunk that it has
// (with one block a rank, after its block). It is rethrown on its rank; the others throw
// rank_failed. A stop ends the loop likewise: all ranks return loop_end::stopped, and
// w.stopped_by() says which one it was. If a rank dies, and MPI lets the others go on, these throw
// rank_died. Ranks that called something else throw wrong_call, as all do, once they meet. Options
// that are refused count as an exception of that rank.
//
// Cost, beside the schedules': with one block a rank one collective operation on three words, at
// the end; else a message and its answer for each chunk or, where these are short, for several.
template <loop_index First, loop_index Last, class Body,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index>
loop_end parallel_for(world& w, First from, Last to, Body&& body, const loop_options& options = {},
                      const std::source_location& where = std::source_location::current()) {
  namespace base = doall::detail;
  const auto first = static_cast<Index>(from);
  detail::call mine = detail::describe(detail::call_kind::loop, where);
  mine.first = static_cast<std::uint64_t>(first);
  mine.iterations = mine.indices = base::count(first, static_cast<Index>(to));
  const auto piece = [body = base::callee_for<Body, Index, range<Index>>(body), first](
                         std::uint64_t begin, std::uint64_t end, const auto& stop) {
    const range<Index> part = base::range_at(first, begin, end);
    if constexpr (std::invocable<Body&, Index>) {
      for (Index i = part.first(); i < part.last(); i = base::next_to(i)) {
        if (stop.stop_requested()) return loop_end::stopped;
        body(Index{i});
      }
    } else {
      if (stop.stop_requested()) return loop_end::stopped;
      body(range<Index>(part));
    }
    return loop_end::completed;
  };
  std::optional<base::told_costs> told;
  const auto costs = [&] {
    told.emplace(options.costs, mine.indices, mine.first, 1, std::is_signed_v<Index>);
    return told->raw();
  };
  return detail::door::run(w, mine, options, options.costs.given(), costs, piece, where);
}

// Runs body(element) for every element of `mine`, this rank's block of a range that lies on all
// ranks, by its workers (doall::parallel_for_each), and returns on all ranks when all have. The
// blocks may be of any length; share() gives even ones. Collective; errors and stops as in
// parallel_for. The options are those of one machine.
template <std::ranges::forward_range Range, class Body>
  requires std::invocable<Body&, std::ranges::range_reference_t<Range>>
loop_end parallel_for_each(world& w, Range&& mine, Body&& body,
                           const doall::loop_options& options = {},
                           const std::source_location& where = std::source_location::current()) {
  const detail::call it = detail::describe(detail::call_kind::for_each, where);
  return detail::door::make_call(w, it, {}, [&](const detail::call&, detail::ending& end) {
    if (doall::parallel_for_each(mine, body, options, where) == loop_end::stopped) {
      end.what = detail::ending::stopped;
    }
  });
}

// This rank's block of n iterations under the default schedule between ranks: an even one or, with
// costs, one of equal cost. Empty if there is none for it. Not collective.
inline range<std::uint64_t> share(const world& w, std::uint64_t n, const loop_costs& costs = {}) {
  const doall::detail::told_costs told(costs, n);
  const doall_chunk block =
      detail::door::block_of(w, schedule(costs.given() ? "best-static" : "static"), n, told.raw());
  return {block.begin, block.end};
}

}  // namespace mpi
}  // namespace v0
}  // namespace doall
