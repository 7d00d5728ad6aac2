// The tree along which a team is released and joined, as text: a line for each worker, its children
// below it.
//
// A leader releases its children from the top line to the bottom one, and joins them from the
// bottom to the top. "8 .. 11" leads workers 8 to 11.
#pragma once

#include <cstdint>
#include <string>

#include "barrier/tree.hpp"

namespace doall::barrier {

// The lines of `b`, the first after `lead` and the others after `indent`. O(lines x depth).
inline std::string draw_branch(const barrier::tree& shape, barrier::branch b,
                               const std::string& lead, const std::string& indent) {
  std::string text = lead + std::to_string(b.begin);
  if (b.size() > 1) text += " .. " + std::to_string(b.end - 1);
  text += '\n';
  for (barrier::branch rest = b; rest.size() > 1;) {
    const barrier::branch child = shape.last_child(rest);
    rest.end = child.begin;
    const bool last = rest.size() == 1;
    text +=
        draw_branch(shape, child, indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  "));
  }
  return text;
}

// The tree of a team of `workers`.
inline std::string draw_tree(const barrier::tree& shape, std::uint32_t workers) {
  return draw_branch(shape, {0, workers}, "", "");
}

}  // namespace doall::barrier
