// The grammar that names a schedule everywhere:
//
//   name[,number]...[,key=value]...
//   static   dynamic,4   ebs-auto,4,4   guided,k=2,order=reverse   hybrid,costs
//
// Case and blanks around the parts do not matter. Numbers after the name are
// the schedule's positional parameters, in their order; some keys take words, and some stand for
// one of them without it.
#pragma once

#include <string>
#include <string_view>

#include "schedule/registry.hpp"

namespace doall::schedules {

// A schedule and its parameters: what the grammar describes.
struct spec {
  const entry* which = nullptr;
  params given;

  // What serves it.
  const operations& run() const {
    return given.order == in_reverse ? which->backward : which->forward;
  }
  // Whether it has the property with these parameters: backwards nothing is monotonic, and some go
  // by costs only when they are told to.
  bool has(property p) const {
    if (!which->has(p) || (p == monotonic && given.order == in_reverse)) return false;
    return p != uses_costs || which->costs_wanted == nullptr ||
           given.*(which->costs_wanted) == at_equal_cost;
  }

  bool operator==(const spec&) const = default;
};

struct parse_result {
  spec value;         // which == nullptr when the text is not a schedule
  std::string error;  // then: what is wrong and what was expected; names the text

  explicit operator bool() const { return value.which != nullptr; }
};

parse_result parse(std::string_view text);

// The text that parse() turns into `s`, in the shortest form.
std::string to_text(const spec& s);

}  // namespace doall::schedules
