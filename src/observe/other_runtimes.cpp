#include "observe/other_runtimes.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "observe/served.hpp"

namespace doall::observe {
namespace {

// An OpenMP runtime that is not doall's, which lie in a folder of their own.
struct other_runtime {
  std::string_view path;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool is_called = false;  // by another module, as far as its functions are bound

  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

// More than a process has.
struct other_runtimes {
  other_runtime all[16];
  std::size_t count = 0;

  std::span<other_runtime> known() { return std::span(all, count); }
};

int add_runtime(dl_phdr_info* module, std::size_t, void* to) {
  const std::string_view path = module->dlpi_name;
  std::string_view file = path;
  file.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  if (!is_openmp_runtime(file) || path.find("/doall/omp/") != path.npos) return 0;
  auto& runtimes = *static_cast<other_runtimes*>(to);
  if (runtimes.count == std::size(runtimes.all)) return 1;
  other_runtime& found = runtimes.all[runtimes.count++];
  found = {path, module->dlpi_addr, module->dlpi_addr};
  for (const ElfW(Phdr) & part : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
    if (part.p_type == PT_LOAD)
      found.end =
          std::max<std::uintptr_t>(found.end, module->dlpi_addr + part.p_vaddr + part.p_memsz);
  }
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
      for (other_runtime& r : runtimes.known()) {
        // A function that was never called may be bound to its module's own code.
        const bool own = r.holds(module->dlpi_addr + one.r_offset);
        r.is_called = r.is_called || (!own && r.holds(bound));
      }
    }
  }
  return 0;
}

// "PATH:DEVICE:INODE", as served.hpp has it.
struct named_file {
  char path[4096];
  unsigned long long device = 0;
  unsigned long long inode = 0;

  bool read(const char* text) {
    const char* const last = std::strrchr(text, ':');
    if (last == nullptr) return false;
    const auto* const first = static_cast<const char*>(memrchr(text, ':', last - text));
    if (first == nullptr || static_cast<std::size_t>(first - text) >= sizeof path) return false;
    std::memcpy(path, text, first - text);
    path[first - text] = '\0';
    char* end = nullptr;
    device = std::strtoull(first + 1, &end, 10);
    if (end != last) return false;
    inode = std::strtoull(last + 1, &end, 10);
    return *end == '\0';
  }
  bool is(const struct stat& found) const {
    return found.st_dev == device && found.st_ino == inode && S_ISREG(found.st_mode);
  }
  // Opens nothing: that of a device or a FIFO would be felt.
  bool is_at_path() const {
    struct stat found{};
    return stat(path, &found) == 0 && is(found);
  }
};

}  // namespace

bool is_openmp_runtime(std::string_view file) {
  for (const std::string_view name :
       {"libgomp.so", "libgomp-", "libomp.so", "libomp-", "libiomp5.so", "libiomp5-"}) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

// One write, so that lines of several processes do not mix. If the file is gone, so is its reader;
// its name may be another file's by then.
void append_to_served(std::string_view line) {
  const char* const variable = secure_getenv(served_file_variable);
  named_file named;
  if (variable == nullptr || !named.read(variable) || !named.is_at_path()) return;
  const int file = open(named.path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return;
  struct stat opened{};
  if (fstat(file, &opened) == 0 && named.is(opened)) {
    [[maybe_unused]] const auto written = write(file, line.data(), line.size());
  }
  close(file);
}

void append_other_runtimes() {
  constexpr std::size_t line_most = 4096;
  other_runtimes runtimes;
  dl_iterate_phdr(add_runtime, &runtimes);
  if (runtimes.count == 0) return;
  dl_iterate_phdr(note_calls, &runtimes);
  for (const other_runtime& r : runtimes.known()) {
    const std::string_view word = r.is_called ? "runtime " : "idle ";
    char line[line_most];
    if (word.size() + r.path.size() + 1 > line_most) continue;
    char* end = std::copy(word.begin(), word.end(), line);
    end = std::copy(r.path.begin(), r.path.end(), end);
    *end++ = '\n';
    append_to_served({line, end});
  }
}

}  // namespace doall::observe
