#include "omp/ompt/caller.hpp"

#include <link.h>
#include <unwind.h>

#include <cstdint>

#include "threads/pool.hpp"

namespace doall::omp::ompt {
namespace {

// The addresses of a library's code.
struct code_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool has(std::uintptr_t code) const { return code >= begin && code < end; }
};

// Finds the code around `found->begin`.
int find_around(dl_phdr_info* library, std::size_t /*bytes*/, void* found) {
  const std::uintptr_t here = static_cast<code_range*>(found)->begin;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    const std::uintptr_t begin = library->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || here < begin || here >= begin + part.p_memsz) continue;
    *static_cast<code_range*>(found) = {begin, begin + part.p_memsz};
    return 1;
  }
  return 0;
}

constinit code_range ours;
constinit code_range engines;  // libdoall's, which calls workers' parts

// A function's context has its caller's canonical frame address: what the function itself had when
// it called on. So the frame of the last function of ours is found one step later.
struct walk {
  call found;
  bool was_ours = false;
};

_Unwind_Reason_Code look_at(_Unwind_Context* function, void* state) {
  auto& w = *static_cast<walk*>(state);
  const std::uintptr_t code = _Unwind_GetIP(function);
  if (ours.has(code)) {
    w.was_ours = true;
    return _URC_NO_REASON;
  }
  if (!w.was_ours) return _URC_NO_REASON;
  // A function of the program that calls the runtime last of all leaves no trace on the stack.
  w.found = {engines.has(code) ? nullptr : reinterpret_cast<const void*>(code),
             reinterpret_cast<const void*>(_Unwind_GetCFA(function))};
  return _URC_NORMAL_STOP;
}

}  // namespace

void find_own_code() {
  ours.begin = reinterpret_cast<std::uintptr_t>(&find_own_code);
  dl_iterate_phdr(find_around, &ours);
  engines.begin = reinterpret_cast<std::uintptr_t>(&team::pool::end_idle_workers);
  dl_iterate_phdr(find_around, &engines);
}

call call_from_outside(const call& last) {
  if (last.code != nullptr && !ours.has(reinterpret_cast<std::uintptr_t>(last.code))) return last;
  walk w;
  _Unwind_Backtrace(look_at, &w);
  return w.found;
}

}  // namespace doall::omp::ompt
