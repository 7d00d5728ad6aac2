#!/usr/bin/env bash
# Does a model notice when an atomic is too weak? Each mutant below is one
# change to one header: an order weakened, a fence left out, a step in the wrong
# place. The model named beside it is compiled against the changed copy and must
# fail; a mutant that lives, or that no longer fits the source, is an error.
#
#   mutants.sh CXX SRC      CXX: the compiler; SRC: the folder src/ of the sources
#
# The READMEs of src/park, src/barrier, src/deque and src/steal say what each order is for.
set -euo pipefail

# header : model : (number) of the atomic, or "-" : text : what it becomes
# The text is a basic regular expression, first found at or after the number.
mutants() {
  cat <<'LIST'
park/gate.hpp : gate : - : futex_wait(openings_, seen) : futex_wait(openings_, openings_.load(sync::relaxed))
park/gate.hpp : gate : 2 : sleepers_.fetch_add(1, sync::relaxed); :
park/gate.hpp : gate : 3 : sync::heavy_fence(); :
park/gate.hpp : gate : 5 : sync::light_fence(); :
park/gate.hpp : gate : 7 : openings_.fetch_add(1, sync::relaxed); :
park/gate.hpp : gate : - : futex_wake_all : futex_wake_one
park/contention.hpp : contention : 12 : sync::seq_cst : sync::relaxed
park/contention.hpp : contention : 11 : sync::seq_cst : sync::relaxed
park/contention.hpp : contention : 11 : begin_pause(mark, fences); :
barrier/half_barrier.hpp : half_barrier : 3 : s.claimed.store(seen, sync::relaxed); :
barrier/half_barrier.hpp : half_barrier : 14 : sync::light_fence(); :
barrier/half_barrier.hpp : half_barrier : 4 : if (s.offered.load(sync::relaxed) == seen) return : return
barrier/half_barrier.hpp : half_barrier : 5 : s.settled.store(seen, sync::relaxed); :
barrier/half_barrier.hpp : half_barrier : 5 : s.joining.open(); :
barrier/half_barrier.hpp : half_barrier : 11 : sync::release : sync::relaxed
barrier/half_barrier.hpp : half_barrier : 11 : s.joining.open(); :
barrier/half_barrier.hpp : half_barrier : 6 : sync::release : sync::relaxed
barrier/half_barrier.hpp : half_barrier : - : s.work.change(\[ : s.offered.store(next, sync::release); s.work.change([
barrier/half_barrier.hpp : half_barrier : - : .idle.open(); : ;
barrier/half_barrier.hpp : half_barrier : 15 : sync::heavy_fence(); :
barrier/half_barrier.hpp : half_barrier : - : if (withdrawn \&\& !has_claimed(s)) return false; : if (withdrawn) return false;
barrier/half_barrier.hpp : half_barrier : 10 : sync::acquire : sync::relaxed
barrier/half_barrier.hpp : half_barrier : - : return how_settled(s) == done; : return true;
barrier/full_barrier.hpp : full_barrier : 2 : sync::acq_rel : sync::acquire
barrier/full_barrier.hpp : full_barrier : 2 : sync::acq_rel : sync::release
barrier/full_barrier.hpp : full_barrier : 3 : arrived_.store(0, sync::relaxed); :
barrier/full_barrier.hpp : full_barrier : 4 : sync::release : sync::relaxed
barrier/full_barrier.hpp : full_barrier : 4 : waiting_.open(); :
barrier/full_barrier.hpp : full_barrier : 5 : sync::acquire : sync::relaxed
barrier/tree_barrier.hpp : tree_barrier : 1 : sync::acquire : sync::relaxed
barrier/tree_barrier.hpp : tree_barrier : 3 : sync::release : sync::relaxed
barrier/tree_barrier.hpp : tree_barrier : 3 : mine.joining.open(); :
barrier/tree_barrier.hpp : tree_barrier : 4 : sync::acquire : sync::relaxed
barrier/tree_barrier.hpp : tree_barrier : 5 : sync::release : sync::relaxed
barrier/tree_barrier.hpp : tree_barrier : - : .leaving.open(); : ;
barrier/tree_barrier.hpp : tree_barrier : - : next = child.end; : next = mine.end;
tasks/sleepers.hpp : sleepers : 1 : count_.fetch_add(1, sync::relaxed); :
tasks/sleepers.hpp : sleepers : 3 : sync::acquire : sync::relaxed
tasks/sleepers.hpp : sleepers : 4 : sync::release : sync::relaxed
tasks/sleepers.hpp : sleepers : 3 : if (!is_current()) return false; :
tasks/sleepers.hpp : sleepers : 3 : is_called ? : is_called \&\& false ?
tasks/sleepers.hpp : sleepers : 16 : if (sleeper::gate_in(seen) != &at) return false; :
tasks/sleepers.hpp : sleepers : 7 : != sleeper::called : == sleeper::called
tasks/sleepers.hpp : sleepers : 8 : sync::heavy_fence(); :
tasks/sleepers.hpp : sleepers : 9 : sync::acquire : sync::relaxed
tasks/sleepers.hpp : sleepers : 14 : sync::light_fence(); :
tasks/sleepers.hpp : sleepers : 12 : bed->open(); :
omp/iteration_posts.hpp : iteration_posts : 1 : sync::release : sync::relaxed
omp/iteration_posts.hpp : iteration_posts : 1 : tell(word, at); :
omp/iteration_posts.hpp : iteration_posts : 2 : sync::release : sync::relaxed
omp/iteration_posts.hpp : iteration_posts : 2 : tell(word, at); :
omp/iteration_posts.hpp : iteration_posts : 2 : words\[word\].fetch_or(bit, sync::release); : words[word].store(words[word].load() | bit, sync::release);
omp/iteration_posts.hpp : iteration_posts : 3 : sync::acquire : sync::relaxed
omp/iteration_posts.hpp : iteration_posts : 3 : given_up(); }, spin : false; }, spin
omp/iteration_posts.hpp : iteration_posts : 4 : word.fetch_or(bit, sync::relaxed); :
omp/iteration_posts.hpp : iteration_posts : 5 : sync::light_fence(); :
tasks/meetings.hpp : meetings : 1 : sync::seq_cst : sync::relaxed
tasks/meetings.hpp : meetings : 2 : sync::seq_cst : sync::relaxed
tasks/meetings.hpp : meetings : 4 : sync::seq_cst : sync::relaxed
tasks/meetings.hpp : meetings : 4 : some_come_.open() : static_cast<void>(0)
tasks/meetings.hpp : meetings : 5 : note(mine, has_left) : static_cast<void>(mine)
tasks/meetings.hpp : meetings : 8 : sync::seq_cst : sync::relaxed
tasks/meetings.hpp : meetings : 8 : < come : < come - 1
tasks/open_region.hpp : open_region : 7 : inside_.fetch_add(1, sync::seq_cst); :
tasks/open_region.hpp : open_region : 7 : sync::seq_cst : sync::relaxed
tasks/open_region.hpp : open_region : 8 : sync::seq_cst) == round : sync::seq_cst) != 0
tasks/open_region.hpp : open_region : 9 : sync::release : sync::relaxed
tasks/open_region.hpp : open_region : 9 : closing_.open(); :
tasks/open_region.hpp : open_region : 10 : sync::seq_cst : sync::relaxed
tasks/open_region.hpp : open_region : 11 : sync::seq_cst) == 0; : sync::relaxed) == 0;
tasks/open_events.hpp : open_events : 1 : == 0) wake_all(); : == 0) static_cast<void>(wake_all);
tasks/open_events.hpp : open_events : 1 : if (count_.fetch_add(1, sync::relaxed) == 0) wake_all(); : wake_all(); count_.fetch_add(1, sync::relaxed);
tasks/open_events.hpp : open_events : 1 : count_.fetch_add(1, sync::relaxed) == 0 : count_.load(sync::relaxed) == 0
tasks/open_events.hpp : open_events : 2 : count_.fetch_sub(1, sync::relaxed); : count_.store(0, sync::relaxed);
tasks/open_events.hpp : open_events : 3 : != 0 : > 1
tasks/open_events.hpp : open_events : - : enqueue(item); :
tasks/sleepers.hpp : open_events : 14 : sync::light_fence(); :
park/gate.hpp : open_events : 3 : sync::heavy_fence(); :
park/gate.hpp : open_events : 5 : sync::light_fence(); :
tasks/child_counts.hpp : child_counts : 7 : away_.fetch_sub(reported, sync::relaxed); : away_.store(0, sync::relaxed);
tasks/child_counts.hpp : child_counts : - : open_ -= reported; :
tasks/child_counts.hpp : task_barrier : 2 : sync::acq_rel : sync::relaxed
tasks/child_counts.hpp : task_barrier : 3 : sync::acquire : sync::relaxed
tasks/task_barrier.hpp : task_barrier : - : over() .. me.has_tasks(); }, me.spin() : over(); }, me.spin()
tasks/task_barrier.hpp : task_barrier : - : if (was_last .. me.has_tasks()) me.wake_members(); : static_cast<void>(was_last);
tasks/task_barrier.hpp : task_barrier : - : me.wake_members(); : me.bed().open();
tasks/task_barrier.hpp : task_barrier : - : region.note()) \[\[unlikely\]\] : region.note() \&\& false)
tasks/task_barrier.hpp : task_barrier : - : if (asleep.any()) \[\[unlikely\]\] : if (false)
tasks/task_barrier.hpp : task_barrier : - : return ready() .. me.is_over(); : return ready();
tasks/sleepers.hpp : task_barrier : 14 : sync::light_fence(); :
barrier/full_barrier.hpp : task_barrier : 4 : sync::release : sync::relaxed
barrier/full_barrier.hpp : task_barrier : 4 : waiting_.open(); :
barrier/full_barrier.hpp : task_barrier : - : void wake() { waiting_.open(); } : void wake() {}
threads/presence.hpp : presence : 1 : leased + one_call : leased
threads/presence.hpp : presence : 2 : sync::seq_cst, sync::relaxed : sync::acquire, sync::relaxed
threads/presence.hpp : presence : 31 : return word_.load(sync::seq_cst) >= one_call; : return false;
threads/presence.hpp : presence : 31 : sync::seq_cst : sync::acquire
threads/presence.hpp : presence : 8 : sync::seq_cst : sync::release
threads/presence.hpp : presence : 9 : sync::seq_cst : sync::acquire
threads/presence.hpp : presence : 10 : word_.fetch_add(coming - away, sync::relaxed); :
threads/presence.hpp : presence : - : (word \& told_to_go) == 0; : true;
threads/presence.hpp : presence : 25 : sync::seq_cst : sync::relaxed
threads/presence.hpp : presence : - : return true; : return false;
threads/resting.hpp : resting : 1 : sync::release : sync::relaxed
threads/resting.hpp : resting : 2 : rests_.store(false, sync::relaxed); :
threads/resting.hpp : resting : 3 : sync::light_fence(); :
threads/resting.hpp : resting : 4 : sync::acquire : sync::relaxed
threads/resting.hpp : resting : 4 : held_.load(sync::acquire) : false
threads/resting.hpp : resting : 5 : sync::heavy_fence(); :
threads/resting.hpp : resting : 6 : sync::acquire : sync::relaxed
threads/resting.hpp : resting : 7 : sync::acquire : sync::relaxed
threads/resting.hpp : resting : 8 : sync::release : sync::relaxed
omp/grown_list.hpp : grown_list : 1 : sync::acquire : sync::relaxed
omp/grown_list.hpp : grown_list : 2 : sync::acq_rel, sync::acquire : sync::acquire, sync::acquire
omp/grown_list.hpp : grown_list : 2 : sync::acq_rel, sync::acquire : sync::release, sync::relaxed
omp/grown_list.hpp : grown_list : 2 : if (next.compare_exchange_strong(found, made.get(), sync::acq_rel, sync::acquire)) : next.store(made.get(), sync::release);
base/first_touch.hpp : first_touch : 1 : sync::acquire : sync::relaxed
base/first_touch.hpp : first_touch : 2 : sync::acquire : sync::relaxed
base/first_touch.hpp : first_touch : 3 : sync::acquire, sync::acquire : sync::acquire, sync::relaxed
base/first_touch.hpp : first_touch : 3 : 2 \* epoch, sync::acquire : 2 * epoch + 1, sync::acquire
base/first_touch.hpp : first_touch : 4 : sync::release : sync::relaxed
sites/site_index.hpp : site_index : 1 : sync::acquire : sync::relaxed
sites/site_index.hpp : site_index : 2 : sync::release : sync::relaxed
sites/site_index.hpp : site_index : 3 : sync::acquire : sync::relaxed
sites/site_index.hpp : site_index : 4 : sync::release : sync::relaxed
sites/site_index.hpp : site_index : 5 : sync::acquire : sync::relaxed
sites/site_index.hpp : site_index : 10 : sync::acquire : sync::relaxed
sites/site_index.hpp : site_index : 11 : sync::release : sync::relaxed
deque/chase_lev.hpp : chase_lev : 1 : sync::release : sync::relaxed
deque/chase_lev.hpp : chase_lev : 2 : sync::acquire : sync::relaxed
deque/chase_lev.hpp : chase_lev : 3 : >= std : > std
deque/chase_lev.hpp : chase_lev : 4 : sync::release : sync::relaxed
deque/chase_lev.hpp : chase_lev : 5 : of_->bottom_.store(bottom, sync::release); :
deque/chase_lev.hpp : chase_lev : 6 : sync::fence(); :
deque/chase_lev.hpp : chase_lev : 7 : top < bottom : top <= bottom
deque/chase_lev.hpp : chase_lev : 9 : of_->bottom_.store(bottom + 1, sync::relaxed); :
deque/chase_lev.hpp : chase_lev : 16 : sync::fence(); :
deque/chase_lev.hpp : chase_lev : 17 : sync::acquire : sync::relaxed
deque/chase_lev.hpp : chase_lev : - : item = seen; : item = of_->read(top);
deque/single.hpp : single : 4 : const bool met = of_->compare_exchange_strong(bits, pack(rest), sync::relaxed, sync::relaxed); : const bool met = true; of_->store(pack(rest), sync::relaxed);
deque/single.hpp : single : - : return met ? .*; : return mine;
deque/single.hpp : single : 6 : of_->exchange(pack({}), sync::relaxed) : of_->load(sync::relaxed)); of_->store(pack({}), sync::relaxed
deque/single.hpp : single : - : if (taken.empty()) return theft::lost_race; :
steal/stint.hpp : stealing : 2 : sync::acq_rel : sync::acquire
steal/stint.hpp : stealing : 2 : sync::acq_rel : sync::release
steal/stint.hpp : stealing : 3 : sync::acquire : sync::relaxed
steal/stint.hpp : open_loops : 2 : sync::acq_rel : sync::acquire
steal/stint.hpp : open_loops : 2 : sync::acq_rel : sync::release
steal/stint.hpp : open_loops : 3 : sync::acquire : sync::relaxed
steal/stint.hpp : open_loops : - : ran_ = shared.next; :
steal/stint.hpp : open_loops : - : shared.next = shared.end; :
steal/stint.hpp : open_loops : - : s.end = kept.end; :
steal/stint.hpp : stealing : - : own().is_empty() .. own().last().loop != .frame_of(\*this) : own().is_empty()
steal/stay.hpp : open_loops : - : open.limit = 0; :
steal/stay.hpp : open_loops : 8 : loop->left.store(whole_of(fixed), sync::relaxed); :
steal/open_group.hpp : open_loops : 1 : made->left.store(held, sync::relaxed); :
deque/chase_lev.hpp : open_loops : 4 : sync::release : sync::relaxed
deque/chase_lev.hpp : open_loops : 17 : sync::acquire : sync::relaxed
steal/claiming.hpp : stealing : 3 : loop.left.fetch_add(1, sync::relaxed); :
steal/wake_up.hpp : wake_up : 1 : sleepers_.fetch_add(1, sync::relaxed); :
steal/wake_up.hpp : wake_up : 2 : me.at.store(&at, sync::relaxed); :
steal/wake_up.hpp : wake_up : 3 : me.within.store(const_cast<frame\*>(within), sync::relaxed); :
steal/wake_up.hpp : wake_up : 4 : sync::release : sync::relaxed
steal/wake_up.hpp : wake_up : - : return was_called(me, within) .. all_->has_work(me, within) : return was_called(me, within)
steal/wake_up.hpp : wake_up : - : return was_called(me, within) .. all_->has_work(me, within) : return all_->has_work(me, within)
steal/wake_up.hpp : wake_up : 5 : if (took(bits_of(me, within).fetch_and(~bit_of(me.place()), sync::relaxed), me)) count_out(); :
steal/wake_up.hpp : wake_up : 5 : if (took(bits_of(me, within).fetch_and(~bit_of(me.place()), sync::relaxed), me)) count_out(); : bits_of(me, within).fetch_and(~bit_of(me.place()), sync::relaxed); count_out();
steal/wake_up.hpp : wake_up : 6 : sync::light_fence(); :
steal/wake_up.hpp : wake_up : 11 : sync::acquire : sync::relaxed
steal/wake_up.hpp : wake_up : 11 : if (!took(.*, s)) return false; : bits.fetch_and(~bit_of(s.place()), sync::acquire);
steal/wake_up.hpp : wake_up : 12 : s.at.load(sync::relaxed)->open(); :
steal/wake_up.hpp : wake_up : - : if (within == nullptr .. !may_take(\*s, loop, within)) continue; : if (within == nullptr) continue;
steal/worker_thread.hpp : wake_up : - : me_->advertise(); :
steal/worker_thread.hpp : wake_up : - : if (advertises_ \&\& own().is_empty()) clear_advert(); : if (advertises_) clear_advert();
steal/worker_thread.hpp : wake_up : 2 : adverts_->fetch_and(~bit_of(place_), sync::relaxed); : adverts_->store(0, sync::relaxed);
schedule/affinity.hpp : schedules : - : state::stale: return size : state::stale: return 0
schedule/affinity.hpp : schedules : - : if (gone == size) return nothing_left; : if (gone + 1 == size) return nothing_left;
schedule/affinity.hpp : schedules : 3 : if (taken(line).compare_exchange_weak(gone, then, sync::relaxed, sync::relaxed)) : taken(line).store(then, sync::relaxed);
schedule/adaptive_guided.hpp : schedules : 2 : if (dealt_.compare_exchange_strong(begin, begin + size, sync::relaxed, sync::relaxed)) : dealt_.store(begin + size, sync::relaxed);
schedule/mod_factoring.hpp : schedules : - : word >> worker_line::tag_bits == epoch_ : true
schedule/mod_factoring.hpp : schedules : - : i < chunks; ++i : i + 1 < chunks; ++i
schedule/mod_factoring.hpp : schedules : 1 : sync::acquire : sync::relaxed
schedule/mod_factoring.hpp : schedules : 3 : if (word.compare_exchange_weak(seen, tagged(phase + 1), sync::relaxed, sync::relaxed)) : word.store(tagged(phase + 1), sync::relaxed);
schedule/mod_factoring.hpp : schedules : 4 : sync::release, sync::relaxed : sync::relaxed, sync::relaxed
schedule/stealable_run.hpp : schedules : 2 : const u64 run = word_.fetch_add(1, sync::acquire); : const u64 run = word_.load(sync::relaxed); word_.store(run + 1, sync::relaxed);
schedule/stealable_run.hpp : schedules : - : if (first >= end) : if (first == end)
schedule/stealable_run.hpp : schedules : 4 : if (word_.compare_exchange_weak(run, pack(first, middle), sync::release, sync::relaxed)) : word_.store(pack(first, middle), sync::relaxed);
schedule/stealable_run.hpp : hybrid : 4 : if (word_.compare_exchange_weak(run, pack(first, middle), sync::release, sync::relaxed)) : word_.store(pack(first, middle), sync::relaxed);
schedule/stealable_run.hpp : flat_splitting : 6 : if (word_.compare_exchange_weak(run, pack(middle, end), sync::acquire, sync::acquire)) : word_.store(pack(middle, end), sync::relaxed);
schedule/flat_splitting.hpp : flat_splitting : - : begin(thief, {taken.begin + mine, : begin(thief, {taken.begin,
schedule/stealable_run.hpp : cows : 4 : if (word_.compare_exchange_weak(run, pack(first, middle), sync::release, sync::relaxed)) : word_.store(pack(first, middle), sync::release);
schedule/stealable_run.hpp : cows : 4 : sync::release : sync::relaxed
schedule/stealable_run.hpp : cows : 6 : if (word_.compare_exchange_weak(run, pack(middle, end), sync::acquire, sync::acquire)) : word_.store(pack(middle, end), sync::relaxed);
schedule/stealable_run.hpp : cows : 7 : sync::acquire : sync::relaxed
schedule/stealable_run.hpp : cows : 9 : return word_.fetch_add(tickets, sync::relaxed); : const u64 run = word_.load(sync::relaxed); word_.store(run + tickets, sync::relaxed); return run;
schedule/dispatch.hpp : cows : - : stealable_run::in(run).end != ahead.end : false
schedule/dispatch.hpp : cows : - : at.planned_turns = 0; :
schedule/dispatch.hpp : cows : - : std::min(stealable_run::in(run).size(), at.ahead.tickets) : at.ahead.tickets
schedule/thefts.hpp : cows : 1 : sync::acquire : sync::relaxed
schedule/cows/cows.hpp : cows : - : !found.in_flux \&\& thefts_ : thefts_
schedule/thefts.hpp : cows : - : one_ended != 0) return false : one_ended > one_ended) return false
schedule/thefts.hpp : cows : 2 : return counts_.load(sync::relaxed) == seen : return true
schedule/thefts.hpp : cows : 4 : sync::release : sync::relaxed
schedule/cows/cows.hpp : cows : - : put({rest, taken.end}) : put({taken.begin, taken.end})
schedule/stolen_runs.hpp : cows : - : !found.in_flux \&\& counts. : counts.
schedule/stolen_runs.hpp : cows : - : counts.begin(); :
schedule/stolen_runs.hpp : schedules : - : put({all.begin + mine, all.end}) : put({all.begin, all.end})
schedule/claims.hpp : hybrid : 2 : if (word.compare_exchange_weak(seen, then, sync::relaxed, sync::relaxed)) return true; : word.store(then, sync::relaxed); return true;
schedule/claims.hpp : hybrid : - : word >> per_word == epoch_ : true
schedule/claims.hpp : hybrid : - : const u64 flags = flags_in(seen); : const u64 flags = 0;
schedule/hybrid.hpp : hybrid : - : put({found.tickets.begin + 1, found.tickets.end}) : put({found.tickets.begin, found.tickets.end})
schedule/affinity.hpp : remembering : - : if (victim == nobody) return nothing_left;$ : if (victim == nobody || draws_most_ != 0) return nothing_left;
schedule/affinity_last.hpp : remembering : - : memory_->at(thief).queue.set(to); :
schedule/tapering.hpp : remembering : 2 : if (dealt_.compare_exchange_weak(begin, end, sync::relaxed, sync::relaxed)) : dealt_.store(end, sync::relaxed);
schedule/tapering.hpp : remembering : - : line.touch.ensure(epoch_, \[&\] { write(line, {}); }); :
loops/loop_ring.hpp : loop_ring : 2 : sync::acquire : sync::relaxed
loops/loop_ring.hpp : loop_ring : 4 : sync::release : sync::relaxed
loops/loop_ring.hpp : loop_ring : 5 : sync::acq_rel : sync::acquire
loops/loop_ring.hpp : loop_ring : 5 : sync::acq_rel : sync::release
loops/loop_ring.hpp : loop_ring : 6 : slot.left.store(none_left(following), sync::relaxed); :
loops/loop_ring.hpp : loop_ring : 7 : sync::release : sync::relaxed
loops/loop_ring.hpp : loop_ring : 14 : sync::release : sync::relaxed
loops/loop_ring.hpp : loop_ring : 7 : + 3 \* has_moved(left) :
loops/loop_ring.hpp : loop_ring : 15 : if (!is_of(left, at_it.sequence - depth_)) return false; :
loops/loop_ring.hpp : loop_ring : 15 : if (count_of(left) == at_it.size) return false; :
loops/loop_ring.hpp : loop_ring : 16 : slot.left.compare_exchange_weak(left, left + moved_bit, sync::relaxed, sync::relaxed) : (slot.left.store(left + moved_bit, sync::relaxed), true)
LIST
}

here=$(cd "$(dirname "$0")" && pwd)

# One mutant; prints how it died. Status 1 if it lives or does not fit.
try_one() {
  local cxx=$1 src=$2 line=$3 header model number from to work
  IFS='|' read -r header model number from to < <(sed 's/ : \?/|/g' <<<"$line")
  local name="$header ($number): $from -> ${to:-nothing}"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' RETURN
  mkdir -p "$work/$(dirname "$header")"
  local script="0,\%$from% s%$from%$to%"
  [[ $number == - ]] || script="\%// ($number) %,\%$from% s%$from%$to%"
  sed "$script" "$src/$header" >"$work/$header"
  if cmp -s "$src/$header" "$work/$header"; then
    echo "DOES NOT FIT  $name"
    return 1
  fi
  if ! "$cxx" -std=c++20 -O1 -DNDEBUG -DDOALL_SYNC_MODEL -w -I"$work" -I"$src" -I"$src/../include" \
    "$here/model_$model.cpp" -o "$work/model" 2>"$work/errors"; then
    echo "DOES NOT COMPILE  $name"
    head -5 "$work/errors"
    return 1
  fi
  local status=0
  timeout 60 "$work/model" >"$work/report" || status=$?
  if [[ $status != 1 ]]; then
    echo "LIVES (status $status)  $name"
    return 1
  fi
  echo "$(sed -n 's/^\([a-z0-9_]*\) *FAILS: \([A-Z ]*\).*/\2 in \1/p' "$work/report" | head -1)  $name"
}

if [[ ${1-} == --one ]]; then
  try_one "$2" "$3" "$4"
  exit
fi
if [[ $# != 2 ]]; then
  echo "usage: mutants.sh CXX SRC" >&2
  exit 2
fi
# xargs' status is 123 when any of them failed.
mutants | tr '\n' '\0' | xargs -0 -P "$(nproc)" -I{} "$0" --one "$1" "$2" {}
