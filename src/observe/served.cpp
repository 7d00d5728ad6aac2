#include "observe/served.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace doall::observe {
namespace {

// Whether this process has left the mark.
sync::atomic<bool> has_served{false};

// One write, so that lines of several processes do not mix. If the file is gone, so is its reader.
void append(const std::string& line) {
  const char* path = secure_getenv(served_file_variable);
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = write(file, line.data(), line.size());
  close(file);
}

std::string_view folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

// Also "libgomp-a34b3233.so.1.0.0" and the like, as Python's wheels rename it.
bool is_openmp_runtime(std::string_view path) {
  const std::string_view file = path.substr(folder_of(path).size());
  for (const std::string_view name :
       {"/libgomp.so", "/libgomp-", "/libomp.so", "/libomp-", "/libiomp5.so", "/libiomp5-"}) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

// An OpenMP runtime that is not doall's, which lie in a folder of their own.
struct other_runtime {
  std::string path;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool is_called = false;  // by another module, as far as its functions are bound

  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};
using other_runtimes = std::vector<other_runtime>;

int add_runtime(dl_phdr_info* module, std::size_t, void* to) {
  const std::string_view path = module->dlpi_name;
  if (!is_openmp_runtime(path) || path.find("/doall/omp/") != path.npos) return 0;
  other_runtime found{std::string(path), module->dlpi_addr, module->dlpi_addr};
  for (const ElfW(Phdr) & part : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
    if (part.p_type == PT_LOAD)
      found.end =
          std::max<std::uintptr_t>(found.end, module->dlpi_addr + part.p_vaddr + part.p_memsz);
  }
  static_cast<other_runtimes*>(to)->push_back(std::move(found));
  return 0;
}

// What a module's dynamic section says of its relocations.
struct relocations {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> of[2];  // of functions that are called, and of all else

  explicit relocations(const dl_phdr_info& module) {
    const ElfW(Dyn)* entry = nullptr;
    for (const ElfW(Phdr) & part : std::span(module.dlpi_phdr, module.dlpi_phnum)) {
      if (part.p_type == PT_DYNAMIC)
        entry = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + part.p_vaddr);
    }
    const ElfW(Rela) * at[2] = {};
    std::size_t bytes[2] = {};
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr); break;
        case DT_STRTAB: names = reinterpret_cast<const char*>(entry->d_un.d_ptr); break;
        case DT_JMPREL: at[0] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: bytes[0] = entry->d_un.d_val; break;
        case DT_RELA: at[1] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr); break;
        case DT_RELASZ: bytes[1] = entry->d_un.d_val; break;
        default: break;
      }
    }
    // Of the kernel's own module these stay offsets.
    if (reinterpret_cast<std::uintptr_t>(symbols) < module.dlpi_addr || names == nullptr) return;
    for (int n = 0; n < 2; ++n) {
      if (at[n] != nullptr) of[n] = {at[n], bytes[n] / sizeof(ElfW(Rela))};
    }
  }
};

// Whether the name is a function's that begins something of OpenMP.
bool begins_something(std::string_view name) {
  for (const std::string_view first :
       {"GOMP_parallel", "GOMP_loop_", "GOMP_task", "__kmpc_fork", "__kmpc_omp_task"}) {
    if (name.starts_with(first)) return true;
  }
  return false;
}

int note_calls(dl_phdr_info* module, std::size_t, void* context) {
  auto& runtimes = *static_cast<other_runtimes*>(context);
  const relocations tables(*module);
  for (const auto& table : tables.of) {
    for (const ElfW(Rela) & one : table) {
      const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(one.r_info)];
      if (!begins_something(tables.names + symbol.st_name)) continue;
      const auto bound = *reinterpret_cast<const std::uintptr_t*>(module->dlpi_addr + one.r_offset);
      for (other_runtime& r : runtimes) {
        // A function that was never called may be bound to its module's own code.
        const bool own = r.holds(module->dlpi_addr + one.r_offset);
        r.is_called = r.is_called || (!own && r.holds(bound));
      }
    }
  }
  return 0;
}

void append_other_runtimes() {
  other_runtimes runtimes;
  dl_iterate_phdr(add_runtime, &runtimes);
  if (runtimes.empty()) return;
  dl_iterate_phdr(note_calls, &runtimes);
  for (const other_runtime& r : runtimes)
    append((r.is_called ? "runtime " : "idle ") + r.path + "\n");
}

[[gnu::constructor]] void note_loading() { append("loaded\n"); }

[[gnu::destructor]] void note_end() {
  // (1) relaxed; alone: the process is ending
  const bool served = has_served.load(sync::relaxed);
  if (!served && std::getenv(served_file_variable) != nullptr) {
    append_other_runtimes();
  }
}

}  // namespace

void leave_served_mark() {
  // (2) relaxed; alone: as (1)
  has_served.store(true, sync::relaxed);
  append("served\n");
}

}  // namespace doall::observe
