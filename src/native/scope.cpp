#include "native/scope.hpp"

#include <utility>

#include "steal/stay.hpp"

namespace doall::native {
namespace {

using steal::frame;
using team::stealer;

// The body of scopes alone, by which they are known. Never called.
int run_nothing(void*, steal::u64, steal::u64, steal::u64, std::uint32_t) { return 0; }

bool is_scope(const frame& f) { return f.fixed.get().body == run_nothing; }

frame* around(const frame& f) {
  // (1) relaxed; alone: this thread wrote it
  return f.parent.load(sync::relaxed);
}

// Whether the thread has begun no loop in the iteration since it set the scope.
bool is_of_this_iteration(const stealer& me, const frame& scope) {
  return scope.fixed.get().context == me.here.innermost;
}

// Whether a loop may be begun in the scope, or one that was lasts.
bool is_in_use(const stealer& me, const frame& scope) {
  const frame* const now = me.current();
  if (now->descends_from(scope)) return true;
  if (is_of_this_iteration(me, scope)) return false;
  for (const steal::stay* at = me.here.innermost; at != &me.here.outermost; at = at->around) {
    if (at->loop == nullptr) continue;
    const frame& its = steal::frame_of(*at);
    if (&its == &scope || around(its) == &scope) return true;
  }
  return false;
}

void give_back_unused(stealer& me) {
  while (me.scopes != nullptr && !is_in_use(me, *me.scopes)) {
    frame* const unused = std::exchange(me.scopes, me.scopes->next_free);
    me.frames.give(unused);
  }
}

}  // namespace

void set_scope(stealer& me, std::uint32_t threads) {
  frame* outer = me.current();
  if (is_scope(*outer) && is_of_this_iteration(me, *outer)) outer = around(*outer);
  me.set_current(outer);
  give_back_unused(me);
  if (threads == 0) return;
  const std::uint32_t limit = threads > 1 && me.number < threads ? threads : threads - 1;
  // (2) relaxed; alone: this thread is in the loop
  if (limit >= outer->workers.load(sync::relaxed)) return;
  frame* const made = me.frames.take();
  if (made == nullptr) return;  // no memory: as many as the loop around
  steal::set_up(made, me, outer,
                {.workers = limit, .body = run_nothing, .context = me.here.innermost});
  made->next_free = std::exchange(me.scopes, made);
  me.set_current(made);
}

std::uint32_t most_inside(const stealer& me) {
  // (3) relaxed; alone: as (2)
  const std::uint32_t thieves = me.current()->workers.load(sync::relaxed);
  return me.number < thieves ? thieves : thieves + 1;
}

}  // namespace doall::native
