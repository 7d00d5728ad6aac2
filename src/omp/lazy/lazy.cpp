// What `doall run` preloads in place of libdoall-omp.so.0, for most processes that a program starts
// never use OpenMP: all functions of OpenMP's ABIs, each a jump to the library's, which the first
// call opens. A process that needs a runtime by name has it from the start, so that it is opened by
// the dynamic linker's thread, before the program may have given up files or rights.
//
// It has the soname of libdoall-omp.so.0, so that the names (libgomp.so.1, ...) find it; the
// library is opened by its path. functions.cpp, which CMake writes, has the jumps: a jump leaves
// the return address as it is, by which the runtime knows places in the program.
//
// Cost: 0.1 ms a process that uses no OpenMP, half a millisecond less than the library; else 0.24
// ms to bind the jumps, and one a call.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "base/sync.hpp"
#include "observe/other_runtimes.hpp"
#include "observe/served.hpp"
#include "topology/cpus_at_load.hpp"

// functions.cpp's. A slot holds where the jump of its number goes to; a name is followed by its
// version.
extern "C" {
extern const unsigned doall_functions;
extern doall::sync::atomic<void*> doall_slots[];
extern const unsigned doall_name_offsets[];
extern const char doall_names[];
void* doall_find_function(unsigned number);
// topology's name_of_mask.
extern doall::topology::cpu_mask doall_cpus_at_load;
[[gnu::visibility("default")]] constinit doall::topology::cpu_mask doall_cpus_at_load{};
}

namespace doall::omp {
namespace {

sync::atomic<void*> library{nullptr};

[[noreturn]] void end_without() {
  const char* why = dlerror();
  std::fprintf(stderr, "doall: its OpenMP library cannot be opened: %s; the program ends\n",
               why != nullptr ? why : "unknown");
  _exit(127);
}

// Has all jumps go to the library's functions. All at once: dlvsym() takes the loader's lock, which
// a thread may hold in a constructor that waits for a region's workers, and they may be the first
// to call another function.
void bind_functions(void* from) {
  for (unsigned n = 0; n < doall_functions; ++n) {
    const char* const name = doall_names + doall_name_offsets[n];
    void* const found = dlvsym(from, name, name + std::strlen(name) + 1);
    if (found == nullptr) end_without();
    // (4) relaxed; alone: a jump loads it as it is, on x86-64 alone, where whoever sees the store
    // sees what the library's constructors stored before; all store the same
    doall_slots[n].store(found, sync::relaxed);
  }
}

// Opens LIB/libdoall-omp.so.0 from LIB/doall/omp/doall-lazy.so. Never closed. Threads that come at
// the same time do the same.
void open_library() {
  // (1) acquire; pairs with (2): what the library's constructors did is visible
  if (library.load(sync::acquire) != nullptr) return;
  constexpr std::string_view file = "/libdoall-omp.so.0";
  constexpr std::size_t path_most = 4096;
  Dl_info here;
  if (dladdr(doall_names, &here) == 0) end_without();
  std::string_view folder = here.dli_fname;
  for (int up = 0; up < 3; ++up)
    folder = {folder.data(), std::min(folder.rfind('/'), folder.size())};
  char path[path_most];
  if (folder.size() + file.size() >= path_most) end_without();
  std::memcpy(path, folder.data(), folder.size());
  std::memcpy(path + folder.size(), file.data(), file.size() + 1);
  void* const opened = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) end_without();
  bind_functions(opened);
  // (2) release; pairs with (1)
  library.store(opened, sync::release);
}

// Whether a module of the process needs an OpenMP runtime by its name, also one that a wheel has
// renamed.
int needs_runtime(dl_phdr_info* module, std::size_t, void*) {
  const ElfW(Dyn)* entries = nullptr;
  for (const ElfW(Phdr) & part : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
    if (part.p_type == PT_DYNAMIC)
      entries = reinterpret_cast<const ElfW(Dyn)*>(module->dlpi_addr + part.p_vaddr);
  }
  const char* names = nullptr;
  for (auto* e = entries; e != nullptr && e->d_tag != DT_NULL; ++e) {
    if (e->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(e->d_un.d_ptr);
  }
  // Of the kernel's own module these stay offsets.
  if (reinterpret_cast<std::uintptr_t>(names) < module->dlpi_addr || names == nullptr) return 0;
  for (auto* e = entries; e->d_tag != DT_NULL; ++e) {
    if (e->d_tag != DT_NEEDED) continue;
    // The names of doall's own folder need the library itself.
    if (observe::is_openmp_runtime(names + e->d_un.d_val)) return 1;
  }
  return 0;
}

[[gnu::constructor]] void open_if_needed() {
  topology::note_cpus(doall_cpus_at_load);
  if (dl_iterate_phdr(needs_runtime, nullptr) != 0)
    open_library();  // leaves the mark
  else
    observe::append_to_served("loaded\n");
}

[[gnu::destructor]] void note_end() {
  // (3) relaxed; alone: the process is ending
  if (library.load(sync::relaxed) == nullptr && std::getenv(observe::served_file_variable))
    observe::append_other_runtimes();
}

}  // namespace
}  // namespace doall::omp

// Called by a jump's first execution, with all registers kept; the jump goes on to what it returns.
void* doall_find_function(unsigned number) {
  using namespace doall;
  const int error_before = errno;
  omp::open_library();
  errno = error_before;
  // (5) relaxed; alone: this thread has stored it, or has seen (2)
  return doall_slots[number].load(sync::relaxed);
}
