#include "lanes/recursion_lane.hpp"

namespace doall::bench {

shape shape_of(const std::string& program) {
  if (program == "queens") return shape::choices;
  if (program == "sparse-product") return shape::product;
  if (program.starts_with("tree-")) return shape::loops;
  return shape::pairs;
}

}  // namespace doall::bench
