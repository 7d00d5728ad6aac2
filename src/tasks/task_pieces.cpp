// A taskloop's tasks, made lazily.
//
// A node of the kind `pieces` has a range of the loop's tasks. The thread that executes it makes
// one task after the other and executes it. When its deque is empty, and so thieves have nothing to
// take, it gives the upper half of its range away first, as a new node. So there are as many nodes
// as there were thieves, and log2 of the pieces.
//
// Thieves need not hurry for a half that takes less time than a theft. What a task takes is what it
// took when the thread last executed some of that taskloop. A cost that is only remembered must not
// serialise a loop, so such a half is left to its owner for the time of a theft, and no longer:
// whatever the tasks take now, idle threads lose that at most. Of one taskloop in some, all is for
// whoever comes, so that what is remembered is renewed, and no taskloop is serial for good. Without
// it half of an empty loop is stolen at once, and its maker waits for a half that it could have
// executed meanwhile.
//
// A node is a child of the task with the taskloop, or of the node that it was split from. It is
// complete when all of its tasks are. For taskwait all nodes are one child, which is finished when
// the last of them has executed its range: until then the first is not complete, and so its parent
// is there to be told.
#include <cstring>

#include "tasks/task_run.hpp"

namespace doall::tasks {
namespace {

// One copy for all nodes of a taskloop.
struct shared_pieces {
  task_pieces all;
  task_options how;
  bool is_for_all;                         // thieves leave nothing of it
  task* parent;                            // whose taskloop it is
  sync::atomic<std::uint32_t> references;  // of nodes
  // behind it: what `all.of` points to
};

struct range {
  shared_pieces* of;
  std::uint64_t begin;
  std::uint64_t end;
};

// What a thread executes of a range before it looks at its deque again.
struct unsplit {
  range rest;
  bool shares;  // with a team
};

void let_go(executor& me, shared_pieces* s) {
  base::tsan_gives(s);
  // (1) acq_rel; pairs with (1): all others are done with it, and with their tasks
  if (s->references.fetch_sub(1, sync::acq_rel) == 1) {
    base::tsan_takes(s);
    report_end(me.at, s->parent, child_counts::finished);
    s->~shared_pieces();
    ::operator delete(s);
  }
}

// Until when thieves leave half of a range of `pieces` that is given away now; 0: they do not.
std::uint64_t left_until_ns(const member& m, const shared_pieces& of, std::uint64_t pieces,
                            std::uint64_t now_ns) {
  const bool is_short = !of.is_for_all && m.last_taskloop.are_short(of.all.code, pieces / 2);
  return is_short ? now_ns + theft_ns : 0;
}

task* make_range(executor& me, const range& some, std::uint64_t left_until_ns) {
  task* const t = make_task(me, nullptr, sizeof(range), alignof(range), {.must_run = true});
  t->kind = task_kind::pieces;
  put_in_tree(me, t);
  // (3) relaxed; alone: the push publishes it
  t->left_until_ns.store(left_until_ns, sync::relaxed);
  std::memcpy(payload_of(t), &some, sizeof some);
  return t;
}

// Whether to give something away: thieves have nothing to take.
bool is_to_be_split(executor& me, const range& some) {
  return some.end - some.begin > 1 && me.at->mine().is_empty();
}

// Whether a task that has been executed as `t` has left that as it was: another can be.
bool is_as_made(const executor& me, const task& t) {
  return me.own == nullptr && me.table == nullptr && t.children.all_complete();
}

void run_some(executor& me, task* t, void* of) {
  auto& some = *static_cast<unsplit*>(of);
  range& mine = some.rest;
  const task_pieces& all = mine.of->all;
  const bool may_be_discarded = limits_of_tasks.may_cancel() && !t->must_run;
  do {
    const std::uint64_t piece = mine.begin++;
    if (!may_be_discarded || !is_discarded(me, t)) all.run(all.of, piece, t->payload);
  } while (mine.begin != mine.end && is_as_made(me, *t) &&
           !(some.shares && is_to_be_split(me, mine)));
}

}  // namespace

void run_range(executor& me, void* payload) {
  range mine;
  std::memcpy(&mine, payload, sizeof mine);
  const std::uint64_t first = mine.begin;
  const bool shares = me.tasks_of->size() > 1;
  const std::uint64_t began_ns = shares ? base::now_ns() : 0;
  while (mine.begin != mine.end) {
    if (shares && is_to_be_split(me, mine)) {
      const std::uint64_t middle = mine.begin + (mine.end - mine.begin) / 2;
      // (2) relaxed; alone: this thread has a reference
      mine.of->references.fetch_add(1, sync::relaxed);
      // The clock is read once a range: it takes as long as a few of the tasks in question.
      const std::uint64_t until_ns =
          left_until_ns(*me.at, *mine.of, mine.end - mine.begin, began_ns);
      task* const half = make_range(me, {mine.of, middle, mine.end}, until_ns);
      me.node->children.add(child_counts::complete);
      hand_over(me, half);
      mine.end = middle;
    }
    const task_pieces& all = mine.of->all;
    unsplit some{mine, shares};
    run_each(me, make_task(me, nullptr, all.bytes, all.alignment, mine.of->how), run_some, &some);
    mine = some.rest;
  }
  if (shares) {
    me.at->last_taskloop.add(mine.of->all.code, mine.begin - first, base::now_ns() - began_ns);
  }
  let_go(me, mine.of);
}

void submit_pieces(executor& me, const task_pieces& pieces, const task_options& how) {
  void* const room = ::operator new(sizeof(shared_pieces) + pieces.of_bytes);
  constexpr std::uint32_t one_in = 64;
  member& m = member_of(me);
  auto* const s =
      new (room) shared_pieces{pieces, how, ++m.taskloops % one_in == 0, &node_of(me), {1}};
  s->all.of = std::memcpy(static_cast<void*>(s + 1), pieces.of, pieces.of_bytes);
  const std::uint64_t until_ns = left_until_ns(m, *s, pieces.pieces, base::now_ns());
  submit_task(me, make_range(me, {s, 0, pieces.pieces}, until_ns));
}

}  // namespace doall::tasks
