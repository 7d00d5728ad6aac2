// What an iteration costs, as a value of the function that says it.
#pragma once

#include "values.hpp"

namespace doall::plugin {

struct work {
  llvm::Value* cycles = nullptr;  // null: not known
  bool varies = false;            // they are not the same for each iteration
  bool at_most = false;           // a loop inside may be left early
  const char* guard = nullptr;    // the work of which nothing is known stands under a condition
  std::uint64_t mean = 0;         // with branches equally likely; 0: it has loops
  llvm::DenseMap<llvm::Value*, choice> choices;
  llvm::DenseMap<llvm::Value*, summed> sums;
};

work work_of(analyses& of, const dealt_loop& loop, values& in);

}  // namespace doall::plugin
