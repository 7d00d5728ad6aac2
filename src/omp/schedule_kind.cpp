// The run-sched-var as a number (omp_sched_t) and as a text (OMP_SCHEDULE).
#include <algorithm>
#include <limits>
#include <string>

#include "base/env.hpp"
#include "omp/icv.hpp"

namespace doall::omp {
namespace {

constexpr choice standard_kinds[] = {{"static", 1}, {"dynamic", 2}, {"guided", 3}, {"auto", 4}};
constexpr choice modifiers[] = {
    {"monotonic", static_cast<std::uint32_t>(run_modifier::monotonic)},
    {"nonmonotonic", static_cast<std::uint32_t>(run_modifier::nonmonotonic)}};

// What LLVM's library has beside the standard's kinds.
constexpr std::uint32_t llvm_trapezoidal = 101;
constexpr std::uint32_t auto_kind = 4;  // the standard's

// Without a modifier `static` is monotonic.
run_modifier usual_order(const schedules::spec& s) {
  return s.which->name == "static" ? run_modifier::monotonic : run_modifier::none;
}

// Null when there is no such kind.
const schedules::entry* entry_of_kind(std::uint32_t kind) {
  for (const choice& c : standard_kinds) {
    if (c.value != kind) continue;
    return schedules::find(c.word);
  }
  if (kind == llvm_trapezoidal) return &schedules::for_trapezoidal_loops();
  const std::uint32_t index = kind - first_own_kind;
  const auto all = schedules::registry();
  return index < all.size() ? &all[index] : nullptr;
}

std::uint32_t kind_of_entry(const schedules::entry& e) {
  if (const choice* standard = find_choice(standard_kinds, e.name)) return standard->value;
  const schedules::entry* in_registry = schedules::find(e.name);
  return first_own_kind + static_cast<std::uint32_t>(in_registry - schedules::registry().data());
}

// Whether omp_sched_t's chunk is its first option.
bool takes_chunk(const schedules::entry& e) {
  return !e.parameters.empty() && e.parameters.front().positional;
}

}  // namespace

const schedules::entry& auto_schedule() { return schedules::for_native_loops(); }

kind_and_chunk schedule_as_kind(const icvs& of) {
  const schedules::entry& e = *of.run_schedule.which;
  const std::uint32_t kind = kind_of_entry(e);
  schedules::u64 chunk = 0;
  if (takes_chunk(e)) chunk = of.run_schedule.given.first();
  if (chunk == 0 && (e.name == "dynamic" || e.name == "guided" || kind == auto_kind)) chunk = 1;
  chunk = std::min<schedules::u64>(chunk, std::numeric_limits<int>::max());
  const bool monotonic = of.run_order == run_modifier::monotonic;
  return {kind | (monotonic ? monotonic_kind : 0), static_cast<int>(chunk)};
}

kind_and_chunk schedule_as_llvm_kind(const icvs& of) {
  constexpr std::uint32_t static_kind = 1;
  constexpr std::uint32_t dynamic_kind = 2;
  kind_and_chunk found = schedule_as_kind(of);
  const std::uint32_t modifier = found.kind & monotonic_kind;
  const bool is_trapezoidal = of.run_schedule.which == &schedules::for_trapezoidal_loops();
  const bool is_stealing = of.run_schedule.which == &schedules::for_nonmonotonic_loops();
  if (found.kind == (static_kind | monotonic_kind) && !of.run_order_named) found.kind = static_kind;
  if (is_trapezoidal) found.kind = llvm_trapezoidal | modifier;
  if (is_stealing) found.kind = dynamic_kind | modifier;
  if ((is_trapezoidal || is_stealing) && found.chunk == 0) found.chunk = 1;
  return found;
}

bool set_schedule_by_kind(icvs& of, std::uint32_t kind, int chunk) {
  const schedules::entry* e = entry_of_kind(kind & ~monotonic_kind);
  if (e == nullptr) return false;
  schedules::spec s{e, {}};
  if (takes_chunk(*e) && chunk > 0) {
    s.given = schedules::params::of_first(static_cast<schedules::u64>(chunk));
  }
  of.run_schedule = s;
  of.run_schedule_named = true;
  of.run_order_named = (kind & monotonic_kind) != 0;
  of.run_order = of.run_order_named ? run_modifier::monotonic : run_modifier::none;
  return true;
}

std::string set_schedule_by_text(icvs& of, std::string_view text) {
  const choice* modifier = nullptr;
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view word = base::trim(text.substr(0, colon));
    modifier = find_choice(modifiers, word);
    if (modifier == nullptr) {
      return "expected monotonic or nonmonotonic before the colon, not \"" + std::string(word) +
             "\"";
    }
    text = base::trim(text.substr(colon + 1));
  }
  // To libgomp a chunk of 0 is none, and auto's is no error.
  if (const auto comma = text.find(','); comma != std::string_view::npos) {
    const std::string_view kind = base::trim(text.substr(0, comma));
    const auto chunk = base::parse_number(base::trim(text.substr(comma + 1)), 0,
                                          std::numeric_limits<std::int32_t>::max());
    const auto is = [&](std::string_view word) { return base::same_word(kind, word); };
    const bool is_none = chunk == 0 && (is("static") || is("dynamic") || is("guided"));
    if (is_none || (chunk && is("auto"))) text = kind;
  }
  std::string own(text);
  std::ranges::replace(own, '_', '-');  // LLVM's static_steal
  const schedules::parse_result parsed = schedules::parse(own);
  if (!parsed) return parsed.error;
  const schedules::spec& s = parsed.value;
  of.run_schedule = s;
  of.run_schedule_named = true;
  of.run_order_named = modifier != nullptr;
  of.run_order = modifier != nullptr ? static_cast<run_modifier>(modifier->value) : usual_order(s);
  return {};
}

std::string schedule_as_text(const icvs& of) {
  std::string text = schedules::to_text(of.run_schedule);
  if (of.run_order == usual_order(of.run_schedule)) return text;
  return std::string(of.run_order == run_modifier::monotonic ? "monotonic:" : "nonmonotonic:") +
         text;
}

}  // namespace doall::omp
