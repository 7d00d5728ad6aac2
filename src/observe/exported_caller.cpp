#include "observe/exported_caller.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <charconv>
#include <cstdint>
#include <iterator>

namespace doall::observe {
namespace {

struct search {
  const void* module;
  int frames = 0;
  std::string name = {};
};

_Unwind_Reason_Code look_at(_Unwind_Context* frame, void* context) {
  constexpr int frames_most = 64;
  auto& wanted = *static_cast<search*>(context);
  if (++wanted.frames > frames_most) return _URC_END_OF_STACK;
  const std::uintptr_t address = _Unwind_GetIP(frame);
  // A return address may be the next function's first.
  Dl_info found;
  if (address == 0 || dladdr(reinterpret_cast<const void*>(address - 1), &found) == 0)
    return _URC_NO_REASON;
  if (found.dli_fbase != wanted.module || found.dli_sname == nullptr) return _URC_NO_REASON;
  char text[2 * sizeof address];
  const auto within = address - reinterpret_cast<std::uintptr_t>(found.dli_saddr);
  const auto end = std::to_chars(text, std::end(text), within, 16).ptr;
  wanted.name = std::string(found.dli_sname) + "+0x" + std::string(text, end);
  return _URC_END_OF_STACK;
}

}  // namespace

std::string exported_caller(const void* module) {
  search wanted{module};
  _Unwind_Backtrace(look_at, &wanted);
  return wanted.name;
}

std::uint64_t offset_in(const void* module, const void* code) {
  Dl_info found;
  if (code == nullptr || dladdr(code, &found) == 0 || found.dli_fbase != module) return 0;
  return reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(module);
}

}  // namespace doall::observe
