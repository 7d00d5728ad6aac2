// Dealers: a schedule's object that the caller asks for chunks, for workers of its own.
//
// State: the object, a line and a slot for each worker, as a loop on threads has them
// (loop_ring.hpp keeps these for the team). The object is constructed before anybody asks, so there
// is no opener. A slot is its worker's: it counts the worker's turns, and remembers that it was
// told to stop.
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "base/no_memory.hpp"
#include "costs/kept_costs.hpp"
#include "costs/loop_costs.hpp"
#include "doall/abi.h"
#include "schedule/descriptor.hpp"
#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"

using doall::schedules::chunk;
using doall::schedules::spec;

namespace {

spec spec_of(const doall_schedule* schedule) {
  return schedule == nullptr ? spec{} : doall::schedules::read_descriptor(*schedule);
}

void say(const std::string& what, char* message, std::size_t message_size) {
  if (message != nullptr) std::snprintf(message, message_size, "%s", what.c_str());
}

}  // namespace

struct doall_dealer {
  struct alignas(doall::base::apart_bytes) slot {
    doall::base::u64 turn = 0;
    bool told_empty = false;
  };

  doall_dealer(const spec& how, doall::schedules::loop_shape shape, const doall_costs* told)
      : asked(how),
        lines(new doall::schedules::worker_line[shape.workers]()),
        slots(new slot[shape.workers]),
        costed(doall::costs::with_costs(how, shape, told, {})) {
    costed.how.run().construct(object, context_of(shape));
  }
  ~doall_dealer() { finish(); }
  doall_dealer(const doall_dealer&) = delete;
  doall_dealer& operator=(const doall_dealer&) = delete;

  void again(doall::base::u64 iterations, const doall_costs* told) {
    finish();
    ++epoch;
    for (std::uint32_t w = 0; w < shape.workers; ++w) slots[w] = {};
    const doall::schedules::loop_shape next_shape{iterations, shape.workers};
    const spec before = costed.how;
    costed = doall::costs::with_costs(asked, next_shape, told, {});
    if (costed.how.which == before.which && costed.how.given == before.given) {
      costed.how.run().renew(object, context_of(next_shape));
    } else {
      costed.how.run().construct(object, context_of(next_shape));
    }
  }

  chunk next(std::uint32_t worker, doall::schedules::feedback last) {
    slot& mine = slots[worker];
    if (mine.told_empty) return doall::schedules::nothing_left;
    const chunk given = costed.how.run().next(object, {worker, mine.turn}, last);
    ++mine.turn;
    mine.told_empty = given.empty();
    return given;
  }

 private:
  doall::schedules::loop_context context_of(doall::schedules::loop_shape of) {
    shape = of;
    return {.shape = of,
            .given = costed.how.given,
            .lines = lines.get(),
            .epoch = epoch,
            .costs = costed.costs};
  }
  void finish() {
    if (costed.how.run().finish != nullptr) costed.how.run().finish(object);
    if (costed.held != nullptr) doall::costs::give_back(costed.held);
    costed.held = nullptr;
  }

  const spec asked;
  alignas(doall::base::apart_bytes) unsigned char object[doall::schedules::object_bytes]{};
  doall::schedules::loop_shape shape;
  doall::base::u64 epoch = 1;
  const std::unique_ptr<doall::schedules::worker_line[]> lines;
  const std::unique_ptr<slot[]> slots;
  doall::costs::costed_loop costed;
};

extern "C" {

void doall_schedule_text(const doall_schedule* schedule, char* text, size_t text_size) {
  const spec how = spec_of(schedule);
  say(how.which == nullptr ? "" : doall::schedules::to_text(how), text, text_size);
}

unsigned doall_schedule_deals(const doall_schedule* schedule) {
  const spec how = spec_of(schedule);
  if (how.which == nullptr || how.has(doall::schedules::splitting)) return 0;
  unsigned deals = 0;
  if (doall::schedules::deals_one_block(*how.which, how.given)) deals |= DOALL_DEALS_ONE_BLOCK;
  if (doall::schedules::deals_by_worker(*how.which)) deals |= DOALL_DEALS_BY_WORKER;
  if (how.has(doall::schedules::adapts)) deals |= DOALL_DEALS_BY_TIMES;
  return deals;
}

doall_dealer* doall_dealer_begin(const doall_schedule* schedule, uint64_t iterations,
                                 uint32_t workers, const doall_costs* costs, char* message,
                                 size_t message_size) {
  const spec how = spec_of(schedule);
  if (how.which == nullptr) {
    say("the default schedule has no dealer, expected one that is named", message, message_size);
    return nullptr;
  }
  if (how.has(doall::schedules::splitting)) {
    say("schedule \"" + doall::schedules::to_text(how) +
            "\" splits the ranges that its workers hold and deals no chunks, expected one that "
            "deals chunks, such as guided",
        message, message_size);
    return nullptr;
  }
  try {
    const doall::base::may_fail here;
    return new doall_dealer(how, {iterations, workers}, costs);
  } catch (const std::bad_alloc&) {
    say("no memory for a dealer to " + std::to_string(workers) + " workers", message, message_size);
    return nullptr;
  }
}

void doall_dealer_again(doall_dealer* dealer, uint64_t iterations, const doall_costs* costs) {
  dealer->again(iterations, costs);
}

int doall_dealer_next(doall_dealer* dealer, uint32_t worker, uint64_t iterations_run,
                      uint64_t elapsed_ns, doall_chunk* chunk) {
  const auto given = dealer->next(worker, {iterations_run, static_cast<double>(elapsed_ns)});
  *chunk = {given.begin, given.end, given.step};
  return given.empty() ? 0 : 1;
}

void doall_dealer_end(doall_dealer* dealer) { delete dealer; }

}  // extern "C"
