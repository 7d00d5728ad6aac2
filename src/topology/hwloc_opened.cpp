// hwloc's functions in the shared library: of the library beside it that is linked with hwloc.
//
// A fork waits while a thread opens it: the child would find the dynamic linker's tables half
// written. So that thread waits for the linker's lock under a lock that forks take. A thread that
// forks in a library's constructor, while another one asks for the first topology, would wait for
// ever, as it would for hwloc's own plugins (hwloc_tree.cpp). Cost: a load, once it is open.
#include <dlfcn.h>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/env.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "topology/hwloc_functions.hpp"

namespace doall::topology {
namespace {

class opened_library {
 public:
  opened_library() : handle_(dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ != nullptr) {
      functions_ = static_cast<const hwloc_functions*>(dlsym(handle_, "doall_hwloc_functions"));
    }
    const char* const error = functions_ == nullptr ? dlerror() : nullptr;
    if (error != nullptr) why_not_ = error;
  }
  ~opened_library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  opened_library(const opened_library&) = delete;
  opened_library& operator=(const opened_library&) = delete;

  const hwloc_functions* functions() const { return functions_; }
  const std::string& why_not() const { return why_not_; }

 private:
  // In the folder of this library. If its path is relative, the program may be in another folder by
  // now: then the dynamic linker knows where the library was found.
  static std::string path() {
    constexpr std::string_view name = "libdoall-hwloc.so.0";
    Dl_info here;
    if (dladdr(reinterpret_cast<const void*>(&hwloc_here), &here) != 0 &&
        here.dli_fname != nullptr && *here.dli_fname == '/') {
      const std::string_view file = here.dli_fname;
      return std::string(file.substr(0, file.rfind('/') + 1)).append(name);
    }
    return std::string(name);
  }

  void* handle_;
  const hwloc_functions* functions_ = nullptr;
  std::string why_not_;
};

constinit base::lone_mutex opening;
[[maybe_unused]] const int opening_is_free = base::free_in_children<opening>();
constinit base::lazy<opened_library> library;

const opened_library& open_library() {
  const std::lock_guard hold(opening);
  return library.get([] { return opened_library(); });
}

}  // namespace

const hwloc_functions* hwloc_here() {
  const opened_library* const made = library.if_made();
  const opened_library& its = made != nullptr ? *made : open_library();
  if (its.functions() == nullptr) {
    base::warn_once("hwloc cannot be loaded (" + its.why_not() +
                    "): all CPUs are taken for cores of one domain");
  }
  return its.functions();
}

void forget_hwloc() { library.drop(); }

}  // namespace doall::topology
