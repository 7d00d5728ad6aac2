#include "threads/stealing.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/fork.hpp"
#include "base/no_memory.hpp"
#include "base/thread_pointer.hpp"
#include "base/tsan.hpp"
#include "base/unload.hpp"
#include "schedule/registry.hpp"
#include "settings/settings.hpp"
#include "threads/pool.hpp"

namespace doall::team {
namespace {

constinit steal::roster everyone;
constinit steal::wake_up<park::gate> sleepers{everyone};
constinit thread_local stealer* here = nullptr;

// Changes in the child of a fork, where no thread has the parts that other threads had.
std::uint64_t generation = 0;

// The stealer of a thread that is not the pool's. The thread keeps it until it ends; then another
// may have it.
struct guest : stealer {
  guest() : stealer(0, 0) { is_guest = true; }

  guest* made_before = nullptr;
  guest* next_free = nullptr;
};
constinit base::lone_mutex guests_lock;  // guards these lists
constinit guest* guests = nullptr;       // all, the last made first
constinit guest* free_listed = nullptr;  // of no thread; these can be stolen from
constinit guest* free_unlisted = nullptr;
const int forks_wait_for_guests = base::free_in_children<guests_lock>();
const base::at_unload free_guests([] {
  everyone.forget_but(nullptr, false);
  free_listed = free_unlisted = nullptr;
  while (guests != nullptr) delete std::exchange(guests, guests->made_before);
});

// Null: it is not counted.
const observe::execution* execution_of(const steal::terms& loop) {
  if (loop.body != counted_loop::run_piece) return nullptr;
  return &static_cast<const counted_loop*>(loop.context)->seen;
}

// The stint's Env on threads (steal/stint.hpp).
struct on_threads {
  static void pushed(steal::worker_thread& from, const steal::frame& loop,
                     const steal::part& what) {
    if (!steal::is_claim_frame(what)) note_split(static_cast<stealer&>(from), loop);
    if (static_cast<stealer&>(from).watch.wakes) call_for(from, loop, what);
  }
  static void note_split(stealer& from, const steal::frame& loop) {
    if (from.books == nullptr) [[likely]]
      return;
    if (const auto* const of = execution_of(loop.fixed.get())) from.books->note_split(*of);
  }
  // Waking a thread costs microseconds, so a part that takes less wakes none.
  static void call_for(steal::worker_thread& from, const steal::frame& loop,
                       const steal::part& what) {
    constexpr steal::u64 looks_a_call = 16;
    const steal::terms& t = loop.fixed.get();
    if (t.worth > 1 && steal::iterations_behind(t, what) < looks_a_call * t.worth) return;
    if (from.is_listed()) sleepers.call_one(loop);
  }

  static void completed(steal::worker_thread& starter) {
    static_cast<stealer&>(starter).joining.open();
  }
};

// A level of nested loops must take little stack (tests/native/unit_nested_stack.cpp). So functions
// that run before or after a body are not inlined, and functions that only lead to the body are.

// Runs the stay's pieces until its end.
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

[[gnu::noinline]] bool steal_some(stealer& me, const steal::frame* within,
                                  steal::descriptor& taken) {
  return everyone.steal(me, within, taken);
}

// For the starter. Returns whether the loop is complete, so that there is no thief to wait for.
[[gnu::noinline]] bool run_own_part(stealer& me, steal::frame& loop, const timed_as& timed) {
  on_threads env;
  steal::stint stay(me, loop, env);
  const std::uint64_t start_ns = timed.cost != nullptr ? base::now_ns() : 0;
  work(me, loop, stay);
  if (timed.cost != nullptr) {
    const double indices = static_cast<double>(stay.ran()) * timed.indices_each;
    timed.cost->learn(static_cast<std::uint64_t>(indices), base::now_ns() - start_ns);
  }
  return stay.report_as_starter();
}

void own_by(stealer& s, void* thread) {
  // (1) relaxed; alone: a thread that had it and looks again sees that it is no longer its own
  sync::atomic_ref<void*>(s.here.owner).store(thread, sync::relaxed);
}

[[gnu::noinline]] void rest_until_work(stealer& me, const steal::frame& loop,
                                       park::spin_bound spin) {
  me.joining.wait([&] { return is_complete(loop) || may_steal(me, &loop); }, spin.giving_way(),
                  bed(me, &loop, me.joining));
}

}  // namespace

stealer::stealer(std::uint32_t number_, std::uint32_t domain_)
    : sleeper(number_, domain_, reinterpret_cast<std::uintptr_t>(this)) {
  here.open_schedules[0] = reinterpret_cast<std::uintptr_t>(&schedules::for_nested_loops());
  here.open_schedules[1] = reinterpret_cast<std::uintptr_t>(&schedules::for_native_loops());
}

int counted_loop::run_piece(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                            std::uint32_t worker) {
  const auto& loop = *static_cast<const counted_loop*>(self);
  observe::ledger* const books = stealer_here()->books;
  if (books == nullptr) return loop.body(loop.context, begin, end, step, worker);
  books->begin_body();
  const int verdict = loop.body(loop.context, begin, end, step, worker);
  books->end_body({begin, end, step});
  return verdict;
}

void begin_sharing(stealer& me) {
  me.watch = {};
  steal::set_asked(me, steal::request::made);
  keep_from_inlining(me);
  steal::set_looks_left(me, 1);
}

bool add_stealer(stealer& s) { return everyone.add(s); }

stealer* stealer_here() { return here; }

void set_stealer_here(stealer* s) {
  if (here != nullptr) own_by(*here, nullptr);
  here = s;
  if (s != nullptr) own_by(*s, base::thread_pointer());
}

namespace {

stealer* find_guest() {
  {
    const std::lock_guard locked(guests_lock);
    guest*& first = free_listed != nullptr ? free_listed : free_unlisted;
    if (first != nullptr) {
      guest* const found = std::exchange(first, first->next_free);
      set_stealer_here(found);
      return found;
    }
  }
  auto* const made = base::or_null([&] { return new (std::nothrow) guest; });
  if (made == nullptr) return nullptr;
  made->open_books();
  add_stealer(*made);  // if the roster is full, the thread keeps it unlisted and does not retry
  const std::lock_guard locked(guests_lock);
  made->made_before = std::exchange(guests, made);
  set_stealer_here(made);
  return made;
}

}  // namespace

stealer* find_stealer() {
  if (here != nullptr) return here;
  pool::count_caller();  // gives it back when the thread ends
  return find_guest();
}

void give_back_stealer() {
  stealer* const mine = here;
  if (mine == nullptr) return;
  mine->workers_asked = 0;
  // Groups of tasks that the thread has not ended lie in memory that may be gone.
  mine->here.loop = nullptr;
  mine->here.innermost = mine->here.outermost_open = &mine->here.outermost;
  set_stealer_here(nullptr);
  if (!mine->is_guest) return;
  auto* const its = static_cast<guest*>(mine);
  const std::lock_guard locked(guests_lock);
  guest*& first = its->is_listed() ? free_listed : free_unlisted;
  its->next_free = std::exchange(first, its);
}

namespace {

// Cuts a loop off in the child of a fork. The threads that had parts of it do not exist here, so
// its count means nothing and no thread may get a part of it. This thread runs what it has, and
// leaves.
void orphan(steal::frame& loop) {
  loop.is_orphan = true;
  // (2) relaxed; alone: there is no other thread
  loop.workers.store(0, sync::relaxed);
}

}  // namespace

void forget_stealers() {
  ++generation;
  if (here != nullptr) {
    // As many workers as there were are started anew, when it next has something for them. The
    // outermost loop knows: those inside may be cut off by an earlier fork.
    const steal::frame* const in = steal::outermost_of(here->current());
    const std::uint32_t workers =
        in != nullptr ? steal::workers_of(in) : std::max(here->workers_asked, 1U);
    // (18) relaxed; alone: as (2)
    here->root.workers.store(workers, sync::relaxed);
    here->workers_asked = 0;
    here->watch.offers = here->watch.wakes = false;  // its workers have to be started anew
    here->watch.began_ns = 0;
    steal::stay* const outermost = &here->here.outermost;
    for (steal::stay* at = here->here.innermost; at != outermost; at = at->around) {
      const bool is_group = at->kind != nullptr && at->kind == here->here.kind_of_groups;
      const bool has_frame =
          is_group ? steal::has_frame(steal::group_of(*at)) : !steal::is_open(*at);
      if (has_frame) orphan(steal::frame_of(*at));
    }
  }
  sleepers.forget();
  // A worker's number is that of a worker of the child's own, too: two threads must not have it in
  // one loop.
  everyone.forget_but(here, here != nullptr && here->is_guest);
  // The other guests leak, with all that they had.
  guests = here != nullptr && here->is_guest ? static_cast<guest*>(here) : nullptr;
  if (guests != nullptr) guests->made_before = nullptr;
  free_listed = free_unlisted = nullptr;
}

namespace {

// As tasks/task_team.cpp.
bool rests(stealer& me) {
  return me.pace.rests(base::now_ns) && park::may_rest(pool::shared().busy_spin());
}

// When a stolen task of a group begins: after its line has come, which belongs to the theft.
std::uint64_t begin_task(doall_task* stolen) {
  // (17) acquire; alone: so that the clock is not read before it, where the processor keeps to
  // that: an estimate
  static_cast<void>(sync::atomic_ref(stolen->newer).load(sync::acquire));
  return base::now_ns();
}

void learn_from_task(stealer& me, const steal::frame& group, std::uint64_t began_ns) {
  const std::uint64_t now_ns = base::now_ns();
  const bool leaves_tasks = !me.own().is_empty();
  const std::uint32_t workers = std::min(group.fixed.get().workers, environment().cpus);
  me.pace.learn(now_ns - began_ns, leaves_tasks, now_ns, workers);
}

void work_off(stealer& me, const steal::descriptor& taken, presence* away) {
  base::tsan_takes(taken.loop);
  const base::fp_state mine = base::fp_state::of_this_thread();
  const base::fp_state starters = taken.loop->fixed.get().fp;
  if (starters != mine) starters.load();
  const observe::execution* const counted =
      me.books != nullptr ? execution_of(taken.loop->fixed.get()) : nullptr;
  if (counted != nullptr) [[unlikely]]
    me.books->enter(*counted, observe::ledger::role::thief, me.number);
  on_threads env;
  steal::stint stay(me, taken, env);
  const bool is_task = steal::is_task(taken.what);
  const std::uint64_t began_ns = is_task ? begin_task(steal::task_of(taken.what)) : 0;
  work(me, *taken.loop, stay);
  if (is_task) learn_from_task(me, *taken.loop, began_ns);
  if (counted != nullptr) [[unlikely]]
    me.books->leave();
  base::tsan_gives(taken.loop);
  if (away != nullptr) away->is_coming();
  stay.report_to_starter(env);
  if (starters != mine) mine.load();
}

}  // namespace

bool may_steal(stealer& me, const steal::frame* within) { return everyone.glance(me, within); }

bool steal_and_work(stealer& me, const steal::frame* within, presence* away) {
  steal::descriptor taken;
  me.leaves_tasks = rests(me);
  if (!steal_some(me, within, taken)) {
    if (me.leaves_tasks) park::rest_awake();
    return false;
  }
  // Its own deque is empty now, and an idle thread may want half of this part.
  steal::set_asked(me, steal::request::made);
  steal::set_looks_left(me, 1);
  work_off(me, taken, away);
  return true;
}

bool push_part(stealer& me, const steal::descriptor& one) {
  base::tsan_gives(one.loop);
  if (!me.own().push(one)) return false;
  me.done.pushes += 1;
  on_threads::pushed(me, *one.loop, one.what);
  return true;
}

bool call_for(stealer& me) {
  if (me.own().is_empty() || !me.is_listed()) return false;
  const steal::frame* const oldest = steal::oldest_loop(me);
  return oldest != nullptr && sleepers.call_one(*oldest);
}

bool offer_outermost(stealer& me) {
  on_threads env;
  return steal::stint::offer_outermost(me, nullptr, env);
}

void wait_for_thieves(stealer& me, steal::frame& loop, park::spin_bound spin) {
  const std::uint64_t began = generation;
  while (!is_complete(loop) && generation == began) {
    if (!steal_and_work(me, &loop)) rest_until_work(me, loop, spin);
  }
  base::tsan_takes(&loop);
}

namespace {

// For the starter, which has run its own part. Returns the loop's verdict.
int end_loop(stealer& me, steal::frame& loop, bool is_complete, park::spin_bound spin) {
  if (!is_complete && !loop.is_orphan) {
    if (me.books != nullptr) [[unlikely]]
      me.books->begin_waiting();
    wait_for_thieves(me, loop, spin);
    if (me.books != nullptr) [[unlikely]]
      me.books->end_waiting();
  }
  base::tsan_takes(&loop);
  // (8) relaxed; alone: the loop's end has ordered it
  const int verdict = loop.verdict.load(sync::relaxed);
  me.frames.give(&loop);
  return verdict;
}

[[gnu::noinline]] bool run_rest(stealer& me, steal::stay& open, steal::frame& loop,
                                own_share* own) {
  steal::stint stay(me, open);
  work(me, loop, stay);
  if (own != nullptr) *own = {stay.ran(), base::now_ns()};
  return stay.report_as_starter();
}

}  // namespace

int run_by_stealing(stealer& me, steal::frame& loop, park::spin_bound spin, const timed_as& timed) {
  const bool is_complete = run_own_part(me, loop, timed);
  return end_loop(me, loop, is_complete, spin);
}

int finish_shared(stealer& me, steal::stay& open, int verdict, park::spin_bound spin,
                  own_share* own) {
  steal::frame& loop = steal::frame_of(open);
  if (verdict != 0) {
    int going_on = 0;
    // (16) relaxed; alone: as (6)
    loop.verdict.compare_exchange_strong(going_on, verdict, sync::relaxed, sync::relaxed);
  }
  const bool is_complete = run_rest(me, open, loop, own);
  return end_loop(me, loop, is_complete, spin);
}

void bed::lie_down() const { sleepers.lie_down(me_, within_, at_); }
bool bed::is_called() const { return sleepers.is_called(me_, within_); }
void bed::get_up() const { sleepers.get_up(me_, within_); }

}  // namespace doall::team
