// Loops that doall's plugin compiled: as static, at static's price, unless somebody steers them or
// `auto` does (unnamed_loops.hpp).
//
// In a region that no schedule steers, and of which no report is wanted, each thread computes its
// block from its number, as GCC's code does for schedule(static): the first N mod P threads get one
// iteration more. It enters no loop of the ring and touches no memory that others write. The
// decision is the region's (region::deals_static), since its threads must agree.
//
// A loop that names a schedule in its source gets that one, unless it is steered.
//
// Loops between which there is no barrier keep these blocks, whatever steers: the second one may
// rely on the threads of the first. The plugin marks what it finds within a function
// (src/plugin/nowait.cpp). Beyond it, a thread that has begun such a loop takes all loops without a
// schedule so until its next barrier. All threads of a team come by the same loops and barriers, so
// they agree.
#include <algorithm>
#include <string>

#include "base/env.hpp"
#include "base/sync.hpp"
#include "omp/loops.hpp"
#include "schedule/grammar.hpp"

namespace doall::omp {
namespace {

bool take_own_block(task_state& me, const loop_source& source, std::uint64_t* first,
                    std::uint64_t* last) {
  ++me.unnamed_loops;
  const std::uint64_t n = source.iterations;
  const std::uint64_t each = n / me.team->size;
  const std::uint64_t more = n % me.team->size;
  const std::uint64_t begin = me.index * each + std::min<std::uint64_t>(me.index, more);
  const std::uint64_t end = begin + each + (me.index < more ? 1 : 0);
  me.loop.cursor.begin_drained();
  me.loop.alone = true;
  me.loop.ordered = false;
  const schedules::numbering& numbers = source.numbers;
  *first = numbers.first + begin * numbers.increment;
  // One step beyond the last iteration need not fit in the program's type.
  *last = end == n ? numbers.last : numbers.first + end * numbers.increment;
  return begin != end;
}

// A schedule as a word: its place in the registry, from 1 on, and above that its first parameter. 0
// stands for one with others.
constexpr unsigned place_bits = 16;
std::uint64_t word_of(const schedules::spec& s) {
  const std::uint64_t first = s.given.first();
  const bool fits =
      s.given == schedules::params::of_first(first) && first >> (64 - place_bits) == 0;
  if (!fits) return 0;
  const auto place = static_cast<std::uint64_t>(s.which - schedules::registry().data()) + 1;
  return (first << place_bits) | place;
}
schedules::spec of_word(std::uint64_t word) {
  const std::uint64_t place = word & ((1U << place_bits) - 1);
  return {&schedules::registry()[place - 1], schedules::params::of_first(word >> place_bits)};
}

// Of costs that are never recognised again; not 0.
std::uint64_t next_generation() {
  static sync::atomic<std::uint64_t> last{0};
  // (3) relaxed; alone: each number is given once
  return last.fetch_add(1, sync::relaxed) + 1;
}

}  // namespace

schedules::spec named_by(const compiled_start& says) {
  if (!says.names_schedule()) return {};
  const sync::atomic_ref<std::uint64_t> kept(says.note->kept);
  // (1) relaxed; alone: the word is all that there is to know
  if (const std::uint64_t word = kept.load(sync::relaxed); word != 0) return of_word(word);
  const schedules::parse_result parsed = schedules::parse(says.note->schedule);
  if (!parsed) {
    base::warn_once("a loop names its schedule, which this release does not know: " + parsed.error +
                    "; it is static");
    return schedules::parse("static").value;
  }
  // (2) relaxed; alone: as (1); every thread writes the same
  kept.store(word_of(parsed.value), sync::relaxed);
  return parsed.value;
}

bool begin_compiled(task_state& me, const loop_clause& clause, const loop_source& source,
                    const compiled_start& says, std::uint64_t* first, std::uint64_t* last) {
  const bool unnamed = clause.kind == loop_kind::steerable && !says.names_schedule();
  if (unnamed && says.keeps_blocks()) me.blocks_open = true;
  const bool keeps_blocks = unnamed && me.blocks_open;
  const region& r = *me.team;
  if (unnamed && (!r.deals_static || (keeps_blocks && r.counted == nullptr))) {
    if (r.level == 0) note_served();
    return take_own_block(me, source, first, last);
  }
  const loop_clause paired{loop_kind::paired, 0, loop_order::monotonic};
  begin_loop(me, keeps_blocks ? paired : clause, source, {.compiled = &says});
  return next_range(me, first, last);
}

doall_costs costs_of(const compiled_start& says) {
  doall_costs told{};
  told.size = sizeof told;
  if ((says.facts & compiled_start::uniform) != 0) told.hints |= DOALL_COSTS_UNIFORM;
  if ((says.facts & compiled_start::guarded) != 0) told.hints |= DOALL_COSTS_GUARDED;
  if (says.cost == nullptr) return told;
  told.kind = DOALL_COSTS_UNSIGNED;
  told.data = &says;
  told.identity = says.note;
  if ((says.facts & compiled_start::made_anew) != 0) told.generation = next_generation();
  told.write = [](const doall_costs* self, std::uint64_t at, std::uint64_t stride,
                  std::uint64_t count, void* costs) {
    const auto& loop = *static_cast<const compiled_start*>(self->data);
    auto* into = static_cast<std::uint64_t*>(costs);
    for (std::uint64_t i = 0; i < count; ++i) into[i] = loop.cost(loop.context, at + i * stride);
  };
  return told;
}

}  // namespace doall::omp
