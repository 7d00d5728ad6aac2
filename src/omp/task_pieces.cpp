// A taskloop's tasks, made lazily.
//
// A node of the kind `pieces` has a range of the loop's tasks. The thread that executes it makes
// one task after the other and executes it. When its deque is empty, and so thieves have nothing to
// take, it gives the upper half of its range away first, as a new node. So there are as many nodes
// as there were thieves, and log2 of the pieces.
//
// A node is one child of the task with the taskloop, or of the node that it was split from, until
// all of its tasks are complete. taskwait thus waits for descendants of the tasks of a taskloop
// with nogroup, too, which is more than it must.
#include <cstring>

#include "omp/task_run.hpp"

namespace doall::omp {
namespace {

// One copy for all nodes of a taskloop.
struct shared_pieces {
  task_pieces all;
  task_options how;
  sync::atomic<std::uint32_t> references;
  // behind it: what `all.of` points to
};

struct range {
  shared_pieces* of;
  std::uint64_t begin;
  std::uint64_t end;
};

// What a thread executes of a range before it looks at its deque again.
struct unsplit {
  task_state* me;
  range rest;
  bool any;  // it has executed one of it
};

void let_go(shared_pieces* s) {
  base::tsan_gives(s);
  // (1) acq_rel; pairs with (1): all others are done with it
  if (s->references.fetch_sub(1, sync::acq_rel) == 1) {
    base::tsan_takes(s);
    s->~shared_pieces();
    ::operator delete(s);
  }
}

void run_range(void* payload);

task* make_range(task_state& me, const range& some) {
  task* const t = make_task(me, run_range, sizeof(range), alignof(range), {.must_run = true});
  t->kind = task_kind::pieces;
  std::memcpy(payload_of(t), &some, sizeof some);
  return t;
}

// Whether to give something away: thieves have nothing to take.
bool is_to_be_split(task_state& me, const range& some) {
  return some.end - some.begin > 1 && me.team->size > 1 && me.at->mine().is_empty();
}

bool next_piece(void* from, void* payload) {
  auto& some = *static_cast<unsplit*>(from);
  range& mine = some.rest;
  if (mine.begin == mine.end) return false;
  if (some.any && is_to_be_split(*some.me, mine)) return false;
  some.any = true;
  mine.of->all.make(mine.of->all.of, mine.begin++, payload);
  return true;
}

void run_range(void* payload) {
  task_state& me = self();
  range mine;
  std::memcpy(&mine, payload, sizeof mine);
  while (mine.begin != mine.end) {
    if (is_to_be_split(me, mine)) {
      const std::uint64_t middle = mine.begin + (mine.end - mine.begin) / 2;
      // (2) relaxed; alone: this thread has a reference
      mine.of->references.fetch_add(1, sync::relaxed);
      submit_task(me, make_range(me, {mine.of, middle, mine.end}));
      mine.end = middle;
    }
    const task_pieces& all = mine.of->all;
    unsplit some{&me, mine, false};
    run_each(me, make_task(me, all.function, all.bytes, all.alignment, mine.of->how), next_piece,
             &some);
    mine = some.rest;
  }
  let_go(mine.of);
}

}  // namespace

void submit_pieces(task_state& me, const task_pieces& pieces, const task_options& how) {
  void* const room = ::operator new(sizeof(shared_pieces) + pieces.of_bytes);
  auto* const s = new (room) shared_pieces{pieces, how, 1};
  s->all.of = std::memcpy(static_cast<void*>(s + 1), pieces.of, pieces.of_bytes);
  submit_task(me, make_range(me, {s, 0, pieces.pieces}));
}

}  // namespace doall::omp
