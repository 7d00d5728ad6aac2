#include "base/unload.hpp"

#include <dlfcn.h>
#include <unwind.h>

#if defined(__GLIBC__)  // dlfcn.h says so
#include <gnu/lib-names.h>
#endif

namespace doall::base {

bool (*workers_alive)() = nullptr;

#if defined(__GLIBC__)
namespace {

// Where the C library's own functions begin: a tool may have put others before them. They are
// looked up while the library is loaded, for a look-up waits for the loader's lock.
constinit const void* dlclose_begins = nullptr;
constinit const void* exit_begins = nullptr;

[[gnu::constructor]] void find_callers() {
  const auto find = [](const char* library, const char* function) -> const void* {
    void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) return nullptr;
    const void* const found = dlsym(loaded, function);
    dlclose(loaded);
    return found;
  };
  exit_begins = find(LIBC_SO, "exit");
  dlclose_begins = find(LIBC_SO, "dlclose");
  if (dlclose_begins == nullptr) dlclose_begins = find(LIBDL_SO, "dlclose");  // before glibc 2.34
}

// Called for each function on the stack, from the inside out.
_Unwind_Reason_Code look_at(_Unwind_Context* function, void* found) {
  const auto* const begin = reinterpret_cast<const void*>(_Unwind_GetRegionStart(function));
  if (begin == nullptr || (begin != dlclose_begins && begin != exit_begins)) {
    return _URC_NO_REASON;
  }
  *static_cast<end_of*>(found) = begin == dlclose_begins ? end_of::library : end_of::process;
  return _URC_NORMAL_STOP;
}

}  // namespace

end_of look_for_end() {
  end_of found = end_of::process;
  _Unwind_Backtrace(look_at, &found);
  return found;
}
#else
end_of look_for_end() { return end_of::process; }
#endif

}  // namespace doall::base
