#include "team/watching.hpp"

#include <algorithm>
#include <new>

#include "team/native_sharing.hpp"

namespace doall::team {

watched_loop::watched_loop(stealer& me, const doall_loop& loop, observe::site_kind kind,
                           const schedules::spec& how, std::uint32_t workers)
    : me_(me), body_(loop.body), context_(loop.context), counting_(loop), workers_(workers) {
  counting_.body = run_piece;
  counting_.context = this;
  seen_.identity = identity_of(loop);
  seen_.kind = kind;
  seen_.of = me.books->known_site(seen_);
  if (seen_.of == nullptr) {
    seen_.of = observe::find_site({kind, "native", reinterpret_cast<const void*>(loop.body),
                                   loop.file, loop.function, loop.line});
  }
  if (kind == observe::site_kind::nested)
    seen_.team = me.books->team();
  else
    begin_team(loop.iterations);
  me.books->enter(seen_, observe::ledger::role::starter, me.number);
  me.books->tell(how, workers);
}

void watched_loop::begin_team(std::uint64_t iterations) {
  team_.reset(new (std::nothrow) observe::tally[tallies()]);
  seen_.team = team_.get();
  seen_.samples = observe::borrow_samples(seen_.of, iterations, {0, 1, iterations});
}

// The starter's number may lie beyond the team's: it may lead a NUMA domain.
std::uint32_t watched_loop::tallies() const { return std::max(workers_, me_.number + 1); }

watched_loop::~watched_loop() {
  if (team_) me_.books->add_team({team_.get(), tallies()}, workers_);
  me_.books->leave();
  if (seen_.samples != nullptr) seen_.samples->end();
}

int watched_loop::run_piece(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                            std::uint32_t worker) {
  const auto& loop = *static_cast<const watched_loop*>(self);
  observe::ledger* const books = stealer_here()->books;
  if (books == nullptr) return loop.body_(loop.context_, begin, end, step, worker);
  books->begin_body();
  const int verdict = loop.body_(loop.context_, begin, end, step, worker);
  books->end_body({begin, end, step});
  return verdict;
}

const observe::execution* execution_of(const steal::terms& loop) {
  if (loop.body != watched_loop::run_piece) return nullptr;
  return &static_cast<const watched_loop*>(loop.context)->seen_;
}

}  // namespace doall::team
