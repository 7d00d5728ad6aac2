#include "native/watching.hpp"

#include <algorithm>
#include <new>

#include "base/no_memory.hpp"
#include "sites/site.hpp"

namespace doall::native {

watched_loop::watched_loop(stealer& me, const doall_loop& loop, observe::site_kind kind,
                           const schedules::spec& how, std::uint32_t workers, observe::reason why)
    : me_(me), counted_{loop.body, loop.context, {}}, counting_(loop), workers_(workers) {
  counting_.body = counted_loop::run_piece;
  counting_.context = &counted_;
  counted_.seen.kind = kind;
  counted_.seen.of = record_of(key_of(loop), kind, "native", loop.function);
  if (kind == observe::site_kind::nested)
    counted_.seen.team = me.books->team();
  else
    begin_team(loop.iterations);
  me.books->enter(counted_.seen, observe::ledger::role::starter, me.number);
  me.books->tell(how, workers, why);
}

void watched_loop::begin_team(std::uint64_t iterations) {
  team_.reset(base::or_null([&] { return new (std::nothrow) observe::tally[tallies()]; }));
  counted_.seen.team = team_.get();
  counted_.seen.samples =
      observe::borrow_samples({counted_.seen.of, 1, true}, iterations, {0, 1, iterations});
}

// The starter's number may lie beyond the team's: it may lead a NUMA domain.
std::uint32_t watched_loop::tallies() const { return std::max(workers_, me_.number + 1); }

watched_loop::~watched_loop() {
  if (team_) me_.books->add_team({team_.get(), tallies()}, workers_);
  me_.books->leave();
  if (counted_.seen.samples != nullptr) counted_.seen.samples->end();
}

}  // namespace doall::native
