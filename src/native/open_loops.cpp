#include "native/open_loops.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "decide/constants.hpp"
#include "doall/detail/open_loops.hpp"
#include "settings/settings.hpp"
#include "sites/site.hpp"
#include "threads/pool.hpp"

namespace doall::native {
namespace {

// A loop with others inside has longer pieces, since these look as well.
constexpr double nest_grain_ns = 1'600;
constexpr std::uint64_t nest_grains_a_worker = 64;  // and at least so many for each worker

using steal::u64;

// An open loop that the runtime runs.
struct open_here : doall_open_loop {
  stealer& me;
  const doall_loop& what;
  u64 grain = 1;
  doall_open_kind its_kind;
  doall_site its_site{};

  open_here(stealer& by, const doall_loop& l, u64 first)
      : doall_open_loop{nullptr,      nullptr,      first,    l.iterations,
                        l.iterations, by.here.loop, &its_kind},
        me(by),
        what(l),
        its_kind{run_part, &its_site} {
    set_grain(1);
    steal::link(me, *this);
  }
  void set_grain(u64 iterations) {
    grain = iterations;
    its_site.word = detail::site_word().with_grain(iterations).raw();
  }
  ~open_here() { steal::unlink(me, *this); }
  open_here(const open_here&) = delete;
  open_here& operator=(const open_here&) = delete;

  static int run_part(void* self, u64 begin, u64 end, u64 step, std::uint32_t worker) {
    const doall_loop& loop = static_cast<const open_here*>(self)->what;
    return loop.body(loop.context, begin, end, step, worker);
  }
};

bool is_outermost(const stealer& me) { return me.current() == &me.root; }

bool is_of_same_site(const doall_open_loop& other, const doall_loop& loop) {
  if (other.kind == nullptr || steal::is_group(other)) return false;
  if (other.kind->body != open_here::run_part) {
    return loop.site != nullptr && other.kind->site == loop.site;
  }
  return key_of(static_cast<const open_here&>(other).what) == key_of(loop);
}

// Whether one of the loops around is of the same site. Looks far enough out for functions that call
// each other.
bool recurses(const open_here& open) {
  constexpr int levels_most = 8;
  const doall_open_loop* at = open.around;
  for (int i = 0; i < levels_most && at->around != nullptr; ++i, at = at->around) {
    if (is_of_same_site(*at, open.what)) return true;
  }
  return false;
}

// Runs up to `n` iterations.
[[gnu::always_inline]] inline int run_piece(open_here& open, u64 n) {
  const u64 begin = open.next;
  open.next = std::min(begin + n, open.limit);
  return open.what.body(open.what.context, begin, open.next, 1, open.me.number);
}

// How many indices of a known cost take no longer than that. A body may do 2^62 of them at once.
u64 indices_within(double ns, const loop_cost& cost) {
  return static_cast<u64>(std::min(ns / cost.serial_ns(1), 1e18));
}

// In indices.
u64 grain_for(const loop_cost& cost) {
  if (!cost.known() || cost.nests()) return 1;
  return std::max<u64>(indices_within(worth_a_look_ns, cost), 1);
}

// Of the loop that is run, in its iterations.
u64 own_grain(const open_here& open, const loop_cost& cost) {
  if (!cost.nests()) return iterations_in(open.what, grain_for(cost));
  if (!cost.known() || cost.recurses() || !is_outermost(open.me)) return 1;
  const u64 by_cost = iterations_in(open.what, indices_within(nest_grain_ns, cost));
  const u64 workers = steal::workers_of(open.me.current());
  return std::max<u64>(std::min(by_cost, open.end / (nest_grains_a_worker * workers)), 1);
}

// Tries a loop of an unknown site: runs pieces of 1, 2, 4, ... iterations, until a clock can tell
// how long they took.
[[gnu::noinline]] int try_first(open_here& open, loop_cost& cost) {
  constexpr u64 enough_ns = 300;
  stopwatch seen;
  int verdict = 0;
  while (verdict == 0 && open.next < open.limit && open.inside == nullptr) {
    const u64 before = open.next;
    const u64 start_ns = base::now_ns();
    verdict = run_piece(open, seen.iterations + 1);
    const u64 took_ns = base::now_ns() - start_ns;
    if (open.inside != nullptr) break;
    // The first iteration may have found cold caches.
    if (before != 0 || took_ns < enough_ns || open.next == open.end)
      seen = {seen.iterations + open.next - before, seen.elapsed_ns + took_ns};
    if (seen.elapsed_ns >= enough_ns) break;
  }
  seen.iterations = indices_in(open.what, seen.iterations);
  if (open.inside == nullptr) cost.learn(seen);
  open.set_grain(own_grain(open, cost));
  return verdict;
}

// While a loop is timed: whether the program's own code runs loops of the same site inside of it,
// which leave no link (doall/detail/open_loops.hpp).
class meeting_itself {
 public:
  meeting_itself(stealer& me, const doall_loop& timed)
      : here_(me.here), around_(here_.timed), site_(timed.site) {
    here_.timed = site_;
  }
  ~meeting_itself() { here_.timed = around_; }
  meeting_itself(const meeting_itself&) = delete;
  meeting_itself& operator=(const meeting_itself&) = delete;

  bool has_met() const { return site_ != nullptr && here_.timed == nullptr; }

 private:
  doall_thread& here_;
  const doall_site* const around_;
  const doall_site* const site_;
};

// Tells the program's own code how to run loops of that site: with_what(what it was told).
template <class Change>
void tell(const doall_loop& loop, Change with_what) {
  if (loop.site == nullptr) return;
  const sync::atomic_ref<u64> told(loop.site->word);
  // (7) relaxed; alone: an estimate
  const detail::site_word before(told.load(sync::relaxed));
  const detail::site_word now = with_what(before);
  // All workers read it: not written without need.
  if (now.raw() == before.raw()) return;
  // (8) relaxed; alone: as (7); what another thread tells at the same time is told again
  told.store(now.raw(), sync::relaxed);
}

// In pieces of `grain` indices, if there are no loops inside.
void tell_grain(const doall_loop& loop, u64 grain, bool nests) {
  tell(loop, [&](detail::site_word before) {
    if (!nests) return before.with_grain(grain);
    return before.nests() ? before : before.with_nests().with_plain(0);
  });
}

// Whether a loop of an unknown site is the second level of a recursion. Tells the site at once:
// otherwise each level of a first descent would come to the runtime, with three times the stack.
[[gnu::noinline]] bool is_seen_to_recurse(const open_here& open, loop_cost& cost) {
  if (!recurses(open)) return false;
  cost.note_nests();
  cost.note_recurses();
  tell(open.what, [](detail::site_word before) { return before.with_nests().with_plain(0); });
  return true;
}

// Adds to what is known of the loop's site, once the loop has run. It began at `start_ns`; 0: it
// was not timed.
[[gnu::noinline]] void learn(const open_here& open, loop_cost& cost, u64 start_ns, bool met) {
  const bool nests = open.inside != nullptr || met;
  if (nests) cost.note_nests();
  if (met || (nests && recurses(open))) cost.note_recurses();
  // If loops have others inside, the iterations of one level say nothing of those of the next.
  const bool tells = is_outermost(open.me) || !cost.nests();
  const doall_loop& loop = open.what;
  u64 grain_seen = ~u64{0};
  if (start_ns != 0 && tells && steal::is_open(open)) {
    const u64 elapsed_ns = base::now_ns() - start_ns;
    const u64 indices = indices_in(loop, open.end);
    cost.learn(indices, elapsed_ns);
    // What the cost says follows after a few timings. If this one is out of proportion, too small a
    // grain costs little meanwhile.
    const u64 seen =
        static_cast<u64>(std::min(worth_a_look_ns * static_cast<double>(indices) /
                                      static_cast<double>(std::max<u64>(elapsed_ns, 1)),
                                  1e18));
    if (seen < grain_for(cost) / 4) grain_seen = std::max<u64>(seen, 1);
  }
  if (!cost.known() && !cost.nests()) return;
  tell_grain(loop, std::min(grain_for(cost), grain_seen), cost.nests());
}

[[gnu::always_inline]] inline int end_open(open_here& open, int verdict) {
  if (steal::is_open(open)) return verdict;
  return finish_shared(open.me, open, verdict, pool::shared().busy_spin());
}

// The same for a timed outermost loop that began at `start_ns` with iteration `first`. One that was
// shared is known by what its own thread ran of it. Nested loops do without this level of stack.
[[gnu::noinline]] int end_timed(open_here& open, int verdict, loop_cost& cost, u64 first,
                                u64 start_ns) {
  if (steal::is_open(open)) return verdict;
  own_share own;
  verdict = finish_shared(open.me, open, verdict, pool::shared().busy_spin(), &own);
  if (start_ns != 0 && verdict == 0)
    cost.learn(indices_in(open.what, own.iterations - first), own.until_ns - start_ns);
  return verdict;
}

static_assert(decide::pieces_grow == detail::pieces_grow);

// As in the program's own code (open_loop::run_in_pieces).
[[gnu::always_inline]] inline int run_pieces(open_here& open) {
  int verdict = 0;
  u64 length = open.grain == open.end ? open.end : 1;
  while (verdict == 0 && open.next < open.limit) {
    verdict = run_piece(open, length);
    if (count_piece(open.me))
      length = 1;
    else if (length != open.grain)
      length =
          length < open.grain / decide::pieces_grow ? decide::pieces_grow * length : open.grain;
  }
  return verdict;
}

}  // namespace

void tell_grain_of(const doall_loop& loop, const loop_cost& cost) {
  if (cost.known()) tell_grain(loop, grain_for(cost), cost.nests());
}

void tell_plain(const doall_loop& loop, const loop_cost& cost, double longest_ns) {
  const bool is_told = cost.known() && !cost.recurses();
  tell(loop, [&](detail::site_word before) {
    return before.with_plain(is_told ? indices_within(longest_ns, cost) : 0);
  });
}

open_root::open_root(stealer& me, std::uint32_t workers, clock c) : me_(me), around_(me.watch) {
  // (6) relaxed; alone: the push of a part publishes it
  me.root.workers.store(workers, sync::relaxed);
  me.set_current(&me.root);
  me.watch = {.began_ns = c == clock::now ? base::now_ns() : 0,
              .alone = workers == 1,
              .offers = false,
              .wakes = false};
  steal::set_asked(me, steal::request::none);
  keep_from_inlining(me);
  steal::set_looks_left(me, 1);
}

open_root::~open_root() {
  me_.set_current(nullptr);
  me_.watch = around_;
  me_.withdraw();
}

int run_open(stealer& me, const doall_loop& loop, u64 first, loop_cost& cost, timing t, pieces p) {
  const bool whole = p == pieces::one && !cost.nests();
  open_here open(me, loop, first);
  open.set_grain(whole ? loop.iterations : own_grain(open, cost));
  me.here.inlined = may_be_inlined(me) ? 1 : 0;
  const bool is_known = cost.known() || cost.nests() || whole || is_seen_to_recurse(open, cost);
  if (is_known && open.next + 1 < open.end) {
    open.next += 1;  // the first iteration stays here
    detail::look_before_first(&me.here);
    open.next -= 1;
  }
  int verdict = 0;
  if (t == timing::no && is_known) {
    verdict = run_pieces(open);
  } else {
    const meeting_itself itself(me, loop);
    const u64 start_ns = t == timing::yes && is_known ? base::now_ns() : 0;
    if (!is_known) verdict = try_first(open, cost);
    if (verdict == 0) verdict = run_pieces(open);
    // It stopped before its end: its time is not that of all its iterations.
    if (t == timing::yes) learn(open, cost, verdict == 0 ? start_ns : 0, itself.has_met());
    if (t == timing::yes && is_outermost(me) && open.around == &me.here.outermost)
      return end_timed(open, verdict, cost, first, start_ns);
  }
  return end_open(open, verdict);
}

tried try_open(stealer& me, const doall_loop& loop, loop_cost& cost) {
  open_here open(me, loop, 0);
  int verdict = 0;
  bool nests = false;
  {
    const meeting_itself itself(me, loop);
    verdict = try_first(open, cost);
    nests = open.inside != nullptr;
    if (nests && verdict == 0) verdict = run_pieces(open);
    learn(open, cost, 0, itself.has_met());
  }
  // A loop that was shared ends here, too.
  const u64 next = nests || !steal::is_open(open) ? loop.iterations : open.next;
  return {end_open(open, verdict), next};
}

}  // namespace doall::native

using namespace doall;

extern "C" {

doall_thread* doall_thread_here(void) {
  team::stealer* const me = team::stealer_here();
  return me == nullptr ? nullptr : &me->here;
}

void doall_look(doall_thread*) { native::look(*team::stealer_here()); }

int doall_open_loop_finish(doall_thread*, doall_open_loop* loop, int verdict) {
  return team::finish_shared(*team::stealer_here(), *loop, verdict,
                             team::pool::shared().busy_spin());
}

}  // extern "C"
