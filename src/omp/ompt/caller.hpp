// Where the program's code has called the runtime: what callbacks are told as codeptr_ra, and what
// a task's enter_frame is.
#pragma once

namespace doall::omp::ompt {

struct call {
  const void* code = nullptr;   // that the call returns to
  const void* frame = nullptr;  // the canonical frame address of the function that was called
};

// The call of the function that this is inlined into.
[[gnu::always_inline]] inline call here() {
  return {__builtin_return_address(0), __builtin_dwarf_cfa()};
}

// The call by which the program's code came here. If `last` has returned into the runtime itself,
// looks at the stack.
call call_from_outside(const call& last = {});

// Called when a tool is started, before any of the above.
void find_own_code();

}  // namespace doall::omp::ompt
