#include "native/alone.hpp"

#include <algorithm>

#include "base/tick_length.hpp"
#include "native/sharing.hpp"

namespace doall::native {
namespace {

base::tick_length a_tick;

}  // namespace

void measure_tick() { a_tick.measured_ns(); }

std::uint64_t ticks_in(double ns) { return static_cast<std::uint64_t>(ns / a_tick.last_ns()); }

alone_run run_until_recalled(const doall_loop& loop, const decide::recall& until,
                             std::uint64_t first, double before_ns) {
  const double tick_ns = a_tick.last_ns();
  alone_run run{.next = first};
  std::uint64_t piece = 1;
  double before_ns_an_index = decide::progress::no_piece;
  // A loop whose blocks are combined as workers are joined is one piece.
  if (loop.combine != nullptr) piece = loop.iterations;
  const std::uint64_t began = base::ticks();
  for (std::uint64_t looked = began;;) {
    run.last = std::min(piece, loop.iterations - run.next);
    run.verdict = loop.body(loop.context, run.next, run.next + run.last, 1, 0);
    run.next += run.last;
    const std::uint64_t now = base::ticks();
    run.elapsed_ns = before_ns + static_cast<double>(now - began) * tick_ns;
    if (run.verdict != 0 || run.next == loop.iterations) return run;
    const double last_ns = static_cast<double>(now - looked) * tick_ns;
    const decide::progress seen{indices_in(loop, loop.iterations),
                                indices_in(loop, run.next),
                                run.elapsed_ns,
                                indices_in(loop, run.last),
                                last_ns,
                                before_ns_an_index};
    run.index_ns = seen.index_ns();
    if (until.is_due(seen)) return run;
    piece = iterations_in(loop, until.next_piece(seen));
    before_ns_an_index = last_ns / static_cast<double>(seen.last);
    looked = now;
  }
}

}  // namespace doall::native
