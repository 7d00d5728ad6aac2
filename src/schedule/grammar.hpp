// The grammar that names a schedule everywhere:
//
//   name[,number]...[,key=value]...
//   static   dynamic,4   ebs-auto,4,4   guided,k=2,order=reverse   hybrid,costs
//
// Case and blanks around the parts do not matter. Numbers after the name are the schedule's
// positional parameters, in their order. Some keys take words; some of these keys may stand alone,
// for one of their words.
#pragma once

#include <string>
#include <string_view>

#include "schedule/registry.hpp"

namespace doall::schedules {

// A schedule and its parameters: what the grammar describes.
struct spec {
  const entry* which = nullptr;
  params given;

  // The operations that run it.
  const operations& run() const {
    return given.order == in_reverse ? which->backward : which->forward;
  }
  // Whether it has the property with these parameters: in reverse order nothing is monotonic, and
  // some schedules use costs only on request.
  bool has(property p) const {
    if (!which->has(p) || (p == monotonic && given.order == in_reverse)) return false;
    if (p != uses_costs || which->costs_if == description::always) return true;
    const auto option = static_cast<std::size_t>(which->costs_if);
    return given.own[option] == which->parameters[option].words.size();
  }

  bool operator==(const spec&) const = default;
};

// Where a parameter's value is: of one in the schedule's list, or of one of all schedules'.
u64& value_in(params& given, const entry& e, const parameter& p);

// What the spec gives for `chunk`; 0: it gives none, or the schedule has no such parameter.
u64 chunk_of(const spec& how);

// The same schedule for a loop that is dealt in cells of so many iterations (README, "What a dealt
// chunk promises"): its numbers of iterations count cells, rounded up.
spec in_cells(const spec& how, u64 cell);

// The same back: of a schedule whose numbers count cells.
spec out_of_cells(const spec& how, u64 cell);

// Gives a schedule that has a grain, and for which none is given, this one: what is known of the
// loop says it. 0: nothing is known.
void give_grain(spec& how, u64 grain);

struct parse_result {
  spec value;         // which == nullptr when the text is not a schedule
  std::string error;  // then: names the text, what is wrong and what was expected

  explicit operator bool() const { return value.which != nullptr; }
};

parse_result parse(std::string_view text);

// The text that parse() turns into `s`, in the shortest form.
std::string to_text(const spec& s);

}  // namespace doall::schedules
