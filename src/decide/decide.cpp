#include "decide/decide.hpp"

#include <algorithm>
#include <cmath>

#include "decide/constants.hpp"

namespace doall::decide {
namespace {

struct predicted {
  double alone_ns;
  double alone_least_ns;
  double shared_ns;
  double shared_least_ns;
};

double saved_ns(double alone_ns, std::uint32_t workers) { return alone_ns * (1 - 1.0 / workers); }

// What rare dear runs cost an index more alone than shared (below 0: less), as far as that is
// certain: less a standard error. A way that has run seldom may not have met one yet, so both are
// taken to have the dearer way's.
double rare_extra(const site_view& site) {
  const way_times& a = site.alone;
  const way_times& b = site.shared;
  if (a.many_runs == 0 || b.many_runs == 0) return 0;
  const double extra = a.rare_ns / a.many_runs - b.rare_ns / b.many_runs;
  const double square = std::max(a.rare_squares / a.many_runs, b.rare_squares / b.many_runs);
  const double error = std::sqrt(square * (1 / a.many_runs + 1 / b.many_runs));
  return std::copysign(std::max(std::abs(extra) - error, 0.0), extra);
}

// What cannot be recalled has no pieces that show that it has become long: two runs in turn do.
void believe_the_last_two(const facts& f, const site_view& site, predicted& all) {
  const double recent_ns = static_cast<double>(f.indices) * site.recent_ns;
  all.alone_ns = std::max(all.alone_ns, recent_ns);
  all.alone_least_ns = std::max(all.alone_least_ns, recent_ns);
}

// A way that was not run yet is expected to be as good as it can be.
predicted predict(const facts& f, const site_view& site) {
  const auto n = static_cast<double>(f.indices);
  const double p = f.workers;
  predicted all{};
  if (site.alone.runs > 0) {
    all.alone_ns = n * site.alone.mean_ns;
    all.alone_least_ns = n * site.alone.least_ns;
  } else {
    all.alone_ns = n * (site.near_ns > 0 ? site.near_ns : site.shared.mean_ns * p);
    all.alone_least_ns = all.alone_ns;
  }
  if (site.shared.runs > 0) {
    all.shared_ns = f.burden_ns + n * site.shared.mean_ns;
    all.shared_least_ns = f.burden_ns + n * site.shared.least_ns;
  } else {
    all.shared_ns = f.burden_ns + (site.whole_ns > 0 ? n * site.whole_ns : all.alone_ns) / p;
    all.shared_least_ns = all.shared_ns;
  }
  if (!f.may_recall) believe_the_last_two(f, site, all);
  (rare_extra(site) > 0 ? all.alone_ns : all.shared_ns) += n * std::abs(rare_extra(site));
  return all;
}

// What the loop takes alone, as far as anybody knows.
double work_ns(const facts& f, const site_view& site) {
  const double by_others_ns = site.near_ns > 0 ? site.near_ns : site.shared.mean_ns * f.workers;
  return static_cast<double>(f.indices) *
         (site.alone.runs > 0 ? std::max(site.alone.mean_ns, site.whole_ns) : by_others_ns);
}

// For so many looks, but no more than a new loop has.
std::uint64_t longest_piece(const facts& f, double looks) {
  const double most = static_cast<double>(unknown_pieces_a_worker * f.workers);
  return static_cast<std::uint64_t>(static_cast<double>(f.indices) / std::clamp(looks, 1.0, most)) +
         1;
}

recall surprise(const facts& f, const site_view& site) {
  // Where none ended alone, one that sharing slows down should.
  const double an_index_ns = site.whole_ns > 0      ? site.whole_ns
                             : site.shared.runs > 0 ? site.shared.mean_ns
                                                    : site.near_ns;
  const double usual_ns = static_cast<double>(f.indices) * an_index_ns;
  const double after_ns = std::max(surprising_times * usual_ns, surprising_burdens * f.burden_ns);
  // The first loop of its length may be long. Where long loops come between short ones, the short
  // ones are looked at for them, too.
  const double mean_ns =
      std::max(work_ns(f, site), static_cast<double>(f.indices) * site.alone.all_ns);
  const double looks = site.alone.runs == 0 ? f.burden_ns / look_price_ns : mean_ns / look_ns;
  double times = 1;
  for (std::uint32_t n = 0; n < site.held; ++n) times *= held_times;
  return {.at_least_ns = times * surprising_burdens * f.burden_ns,
          .after_ns = times * after_ns,
          .rival_ns = 0,
          .least_rest_ns = f.burden_ns / saved_ns(1, f.workers),
          .longest_piece = longest_piece(f, looks)};
}

bool may_explore(const facts& f, const site_view& site, double loss_ns,
                 double part = explored_part) {
  return site.explored_ns + loss_ns <= part * site.spent_ns && f.dice % runs_a_chance == 0;
}

// Whether to run the way that is not the better one.
bool explores(const facts& f, const site_view& site, const predicted& all, bool is_alone) {
  if (site.turns > 0) return true;
  if (is_alone) {
    const double loss_ns = all.shared_least_ns - all.alone_ns;
    return may_explore(f, site, site.shared.runs == 1 ? unconfirmed_part * loss_ns : loss_ns);
  }
  // A first run alone needs no budget: it is given up in time.
  const double loss_ns = all.alone_least_ns - all.shared_ns;
  if (!f.may_recall)
    return may_explore(f, site, loss_ns, site.whole_ns > 0 ? explored_part : untried_part);
  if (site.alone.runs == 0 && site.shared.runs >= runs_in_turn) return true;
  return may_explore(f, site, std::min(loss_ns, explored_alone_part * all.shared_ns));
}

// How many explore after this one. What cannot be recalled costs all that it takes alone: once.
std::uint32_t more_turns(const facts& f, const site_view& site, bool is_alone) {
  if (site.turns > 0) return site.turns - 1;
  return f.may_recall || is_alone ? runs_in_turn - 1 : 0;
}

// How to share a loop that takes so long alone.
way shared_way(double alone_ns, double burden_ns, std::uint32_t workers) {
  const bool gains_little = saved_ns(alone_ns, workers) < blocks_most_burdens * burden_ns;
  return gains_little ? way::in_blocks : way::balanced;
}

}  // namespace

bool recall::is_due(const progress& now) const {
  // One index cannot be divided, and one piece may have been preempted.
  if (now.indices - now.ran < 2 || now.last == now.ran || now.rest_ns() < least_rest_ns)
    return false;
  if (rival_ns <= 0)
    return now.elapsed_ns > at_least_ns && now.elapsed_ns + now.rest_ns() > after_ns;
  return now.elapsed_ns > explored_alone_part * rival_ns &&
         now.elapsed_ns + now.rest_ns() > explored_alone_slower * rival_ns;
}

std::uint64_t recall::next_piece(const progress& now) const {
  const double aim_ns = std::max(look_ns, look_part * now.elapsed_ns);
  const auto before = static_cast<double>(now.last);
  const double most =
      std::min(static_cast<double>(longest_piece), static_cast<double>(pieces_grow) * before);
  return static_cast<std::uint64_t>(
      std::clamp(aim_ns * before / std::max(now.last_ns, 1.0), 1.0, most));
}

site_view known_cost(double an_index_ns) {
  site_view view{};
  view.alone = {1, an_index_ns, an_index_ns, an_index_ns};
  view.whole_ns = an_index_ns;
  return view;
}

bool may_gain(double alone_ns, std::uint32_t workers) {
  return saved_ns(alone_ns, workers) > least_burden_ns;
}

double longest_plain_ns(double burden_ns, std::uint32_t workers) {
  return std::min(burden_ns / saved_ns(1, workers), always_learnt_ns);
}

double plain_for_ns(std::uint64_t dice) {
  return plain_least_ns + static_cast<double>(dice % plain_more_ns);
}

verdict decide(const facts& f, const site_view& site) {
  if (site.is_new()) {
    const bool is_short = f.indices / unknown_pieces_a_worker < f.workers;
    return {.how = is_short || !f.may_recall ? way::balanced : way::alone,
            .alone = surprise(f, site)};
  }
  const predicted all = predict(f, site);
  const bool prefers_alone = all.alone_ns <= all.shared_ns || !may_gain(all.alone_ns, f.workers);
  const bool turns = explores(f, site, all, prefers_alone);
  verdict v{.how = way::alone,
            .explores = turns,
            .more_turns = turns ? more_turns(f, site, prefers_alone) : 0,
            .expected_ns = std::min(all.alone_ns, all.shared_ns),
            .gain_ns = all.alone_ns - all.shared_ns,
            .gains_nothing = prefers_alone && saved_ns(work_ns(f, site), f.workers) > f.burden_ns,
            .alone = surprise(f, site)};
  if (prefers_alone == turns) {
    v.how = shared_way(work_ns(f, site), f.burden_ns, f.workers);
  } else if (turns) {
    v.alone.rival_ns = all.shared_ns;
    const double looks = explored_looks_part * all.shared_ns / look_price_ns;
    v.alone.longest_piece = std::min(v.alone.longest_piece, longest_piece(f, looks));
  }
  return v;
}

}  // namespace doall::decide
