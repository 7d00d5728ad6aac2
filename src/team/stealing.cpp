#include "team/stealing.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "base/asymmetric_fence.hpp"
#include "base/clock.hpp"
#include "base/fork.hpp"
#include "base/tsan.hpp"
#include "base/unload.hpp"
#include "team/settings.hpp"
#include "team/watching.hpp"

namespace doall::team {
namespace {

constinit steal::roster everyone;
constinit sync::atomic<std::uint32_t> sleepers{0};
constinit thread_local stealer* here = nullptr;

// Changes in the child of a fork. There the parts that other threads had are nobody's.
std::uint64_t generation = 0;

// Threads that are not the crew's: each has a stealer until it ends.
struct guest : stealer {
  guest() : stealer(0, 0) {}

  bool taken = true;
  guest* next = nullptr;
};
constinit std::mutex guests_lock;  // of the list, and of who is taken
constinit guest* guests = nullptr;
const int forks_wait = base::free_in_children<guests_lock>();
const base::at_unload free_guests([] {
  everyone.forget_but(nullptr);
  while (guests != nullptr) delete std::exchange(guests, guests->next);
});

bool call(stealer& sleeper, stealer::rest kind) {
  // (1) relaxed; alone: only spares (2) its attempt
  if (sleeper.rests.load(sync::relaxed) != kind) return false;
  // (2) acquire; pairs with (10): where it rests. The gate orders the sleeper's look at it
  if (!sleeper.rests.compare_exchange_strong(kind, stealer::rest::awake, sync::acquire,
                                             sync::relaxed)) {
    return false;
  }
  // (3) relaxed; alone: a count of those who can be called
  sleepers.fetch_sub(1, sync::relaxed);
  // (14) relaxed; alone: if it has risen since, and lies elsewhere, that gate opens in vain
  sleeper.at.load(sync::relaxed)->open();
  return true;
}

// Who may take a part of the loop.
[[gnu::noinline]] void call_somebody(const steal::frame& loop) {
  const std::uint32_t n = everyone.size();
  const std::uint32_t workers = loop.fixed.get().workers;
  const auto each = [&](stealer::rest kind, bool all) {
    for (std::uint32_t i = 0; i < n; ++i) {
      auto* const s = static_cast<stealer*>(everyone.at(i));
      if (s == nullptr || s->number >= workers) continue;
      if (call(*s, kind) && !all) return true;
    }
    return false;
  };
  if (!each(stealer::rest::idle, false)) each(stealer::rest::joining, true);
}

// What differs between threads and virtual time.
struct on_threads {
  // To wake a thread costs microseconds: it is not done for a part that takes less.
  static void pushed(steal::worker& from, const steal::frame& loop, const steal::part& what) {
    if (observe::ledger* const books = static_cast<stealer&>(from).books; books != nullptr)
        [[unlikely]] {
      if (const auto* const of = execution_of(loop.fixed.get())) books->note_split(*of);
    }
    constexpr steal::u64 looks_a_call = 16;
    const steal::u64 worth = loop.fixed.get().worth;
    if (worth > 1 && what.size() < looks_a_call * worth) return;
    // (4) seq_cst fence; pairs with gate (3): light; step (e) of the header
    sync::light_fence();
    // (5) relaxed; alone: (4) orders it after the push
    if (sleepers.load(sync::relaxed) != 0) [[unlikely]]
      call_somebody(loop);
  }

  static void completed(steal::worker& starter) { static_cast<stealer&>(starter).joining.open(); }
};

// A level of nested loops is to take little stack (tests/unit_nested_stack.cpp). So what is
// needed before a body runs, or after it, is in functions that are not inlined, and what only
// leads to the body is.

// Runs what the stay brings, until its end.
[[gnu::always_inline]] inline void work(stealer& me, steal::frame& loop, steal::stint& stay) {
  const steal::terms& t = loop.fixed.get();
  const inside_loop nested(&me, &loop);
  on_threads env;
  for (steal::piece p = stay.next(env); !p.empty(); p = stay.next(env)) {
    const steal::piece now = to_run(t, p);
    const int said = t.body(t.context, now.begin, now.end, 1, me.number);
    if (said == 0) continue;
    int going_on = 0;
    // (6) relaxed; alone: the loop's end publishes it to the starter
    loop.verdict.compare_exchange_strong(going_on, said, sync::relaxed, sync::relaxed);
  }
}

// A stay that begins with that part.
void work_off(stealer& me, const steal::descriptor& loot) {
  base::tsan_takes(loot.loop);
  const base::fp_state mine = base::fp_state::of_this_thread();
  const base::fp_state starters = loot.loop->fixed.get().fp;
  if (starters != mine) starters.load();
  const observe::execution* const counted =
      me.books != nullptr ? execution_of(loot.loop->fixed.get()) : nullptr;
  if (counted != nullptr) [[unlikely]]
    me.books->enter(*counted, observe::ledger::role::thief, me.number);
  steal::stint stay(me, loot);
  work(me, *loot.loop, stay);
  if (counted != nullptr) [[unlikely]]
    me.books->leave();
  base::tsan_gives(loot.loop);
  on_threads env;
  stay.report_to_starter(env);
  if (starters != mine) mine.load();
}

[[gnu::noinline]] bool steal_some(stealer& me, const steal::frame* within,
                                  steal::descriptor& loot) {
  return everyone.steal(me, within, loot);
}

// Of the starter; whether the loop is complete, so that nobody is to be waited for. In the child
// of a fork in the loop nobody is there to report to.
[[gnu::noinline]] bool run_own_part(stealer& me, steal::frame& loop, loop_cost* timed) {
  const std::uint64_t began = generation;
  steal::stint stay(me, loop);
  const std::uint64_t start_ns = timed != nullptr ? base::now_ns() : 0;
  work(me, loop, stay);
  if (timed != nullptr) timed->learn(stay.ran(), base::now_ns() - start_ns);
  return generation != began || stay.report_as_starter();
}

[[gnu::noinline]] void rest_until_loot(stealer& me, const steal::frame& loop,
                                       std::uint64_t spin_ns) {
  me.joining.wait([&] { return is_complete(loop) || may_steal(me, &loop); }, spin_ns,
                  bed(me, &loop, me.joining));
}

}  // namespace

stealer::stealer(std::uint32_t number_, std::uint32_t domain_)
    : worker(number_, domain_, reinterpret_cast<std::uintptr_t>(this)),
      books(observe::open_ledger(done)) {}

bool add_stealer(stealer& s) { return everyone.add(s); }

stealer* stealer_here() { return here; }
void set_stealer_here(stealer* s) { here = s; }

stealer* find_stealer() {
  if (here != nullptr) return here;
  const std::lock_guard locked(guests_lock);
  for (guest* g = guests; g != nullptr; g = g->next) {
    if (!std::exchange(g->taken, true)) return here = g;
  }
  auto* const made = new (std::nothrow) guest;
  if (made == nullptr || !add_stealer(*made)) {
    delete made;
    return nullptr;
  }
  made->next = std::exchange(guests, made);
  return here = made;
}

void give_back_stealer() {
  const std::lock_guard locked(guests_lock);
  for (guest* g = guests; g != nullptr; g = g->next) {
    if (g == here) g->taken = false;
  }
  here = nullptr;
}

void forget_stealers() {
  ++generation;
  // (7) relaxed; alone: there is no other thread
  sleepers.store(0, sync::relaxed);
  everyone.forget_but(here);
  // Whatever the other guests had is left behind with them.
  guest* mine = guests;
  while (mine != nullptr && mine != here) mine = mine->next;
  guests = mine;
  if (mine != nullptr) mine->next = nullptr;
}

bool may_steal(stealer& me, const steal::frame* within) {
  steal::worker* const victim = everyone.draw_victim(me);
  return victim != nullptr && has_loot(*victim, me, within);
}

bool steal_and_work(stealer& me, const steal::frame* within) {
  steal::descriptor loot;
  if (!steal_some(me, within, loot)) return false;
  work_off(me, loot);
  return true;
}

bool push_part(stealer& me, const steal::descriptor& one) {
  base::tsan_gives(one.loop);
  if (!me.own().push(one)) return false;
  me.done.pushes += 1;
  on_threads::pushed(me, *one.loop, one.what);
  return true;
}

bool offer_outermost(stealer& me) {
  on_threads env;
  if (me.stay != nullptr) steal::stint::offer_outermost(me, me.stay, env);
  return !me.own().is_empty();
}

void work_back_to(stealer& me, std::int64_t below) {
  steal::descriptor mine;
  while (me.own().position() > below && me.own().pop(mine)) {
    me.done.pops += 1;
    work_off(me, mine);
  }
}

void wait_for_thieves(stealer& me, steal::frame& loop, std::uint64_t spin_ns) {
  const std::uint64_t began = generation;
  while (!is_complete(loop) && generation == began) {
    if (!steal_and_work(me, &loop)) rest_until_loot(me, loop, spin_ns);
  }
  base::tsan_takes(&loop);
}

int run_by_stealing(stealer& me, steal::frame& loop, std::uint64_t spin_ns, loop_cost* timed) {
  const std::uint64_t began = generation;
  const bool was_stolen_from = !run_own_part(me, loop, timed);
  me.offers.note_end(was_stolen_from);
  if (was_stolen_from && generation == began) {
    if (me.books != nullptr) [[unlikely]]
      me.books->begin_waiting();
    wait_for_thieves(me, loop, spin_ns);
    if (me.books != nullptr) [[unlikely]]
      me.books->end_waiting();
  }
  base::tsan_takes(&loop);
  // (8) relaxed; alone: the loop's end has ordered it
  const int verdict = loop.verdict.load(sync::relaxed);
  me.frames.pop();
  return verdict;
}

// Steps (a) and (c) of the header. First the count: who finds nobody to call in spite of it
// has pushed before (b), and so (c) sees it.
void bed::lie_down() const {
  // (9) relaxed; alone: the gate's fence comes next
  sleepers.fetch_add(1, sync::relaxed);
  // (15) relaxed; alone: (10) publishes it
  me_.at.store(&at_, sync::relaxed);
  // (10) release; pairs with (2): where it rests
  me_.rests.store(within_ == nullptr ? stealer::rest::idle : stealer::rest::joining, sync::release);
}

bool bed::is_called() const {
  // (11) relaxed; alone: see (2)
  return me_.rests.load(sync::relaxed) == stealer::rest::awake || everyone.has_loot(me_, within_);
}

void bed::get_up() const {
  // (12) relaxed; alone: who takes it from another value to awake has counted it out
  if (me_.rests.exchange(stealer::rest::awake, sync::relaxed) != stealer::rest::awake) {
    // (13) relaxed; alone: as (3)
    sleepers.fetch_sub(1, sync::relaxed);
  }
}

}  // namespace doall::team
