#include "process/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "omp/compiled_loop.hpp"
#include "process/failure.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

// An ELF file open for reading.
class elf_file {
 public:
  explicit elf_file(const fs::path& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) {
      throw failure(cannot_execute,
                    fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    }
    elf_version(EV_CURRENT);
    elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
  }
  ~elf_file() {
    elf_end(elf_);
    close(fd_);
  }
  elf_file(const elf_file&) = delete;
  elf_file& operator=(const elf_file&) = delete;

  bool is_elf() const { return elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF; }

  // Says what a file is that is no ELF file.
  void read_text(program_file& program) const {
    char bytes[256];
    const auto size = pread(fd_, bytes, sizeof bytes, 0);
    const std::string_view begin(bytes, size > 0 ? static_cast<std::size_t>(size) : 0);
    program.kind = begin.starts_with("!<")          ? file_kind::archive
                   : begin.starts_with("#!")        ? file_kind::script
                   : begin.find('\0') != begin.npos ? file_kind::data
                                                    : file_kind::text;
    if (program.kind != file_kind::script) return;
    constexpr std::string_view blanks = " \t\r\n";
    const auto from = std::min(begin.find_first_not_of(" \t", 2), begin.size());
    program.script_of = begin.substr(from, begin.find_first_of(blanks, from) - from);
  }

  // The bytes that its header and segments need at least.
  std::uint64_t needed_bytes() const {
    const GElf_Ehdr h = header();
    std::uint64_t most = h.e_phoff + std::uint64_t{h.e_phnum} * h.e_phentsize;
    for (int i = 0; i < h.e_phnum; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_, i, &segment) == nullptr) break;
      if (segment.p_type == PT_LOAD) most = std::max(most, segment.p_offset + segment.p_filesz);
    }
    return most;
  }

  std::uint64_t bytes() const {
    struct stat info{};
    return fstat(fd_, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
  }

  GElf_Ehdr header() const {
    GElf_Ehdr h{};
    gelf_getehdr(elf_, &h);
    return h;
  }

  std::string interpreter() const {
    std::size_t count = 0;
    elf_getphdrnum(elf_, &count);
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr) break;
      if (segment.p_type != PT_INTERP) continue;
      std::size_t size = 0;
      const char* file = elf_rawfile(elf_, &size);
      if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) break;
      const std::string_view text(file + segment.p_offset, segment.p_filesz);
      return std::string(text.substr(0, text.find('\0')));
    }
    return {};
  }

  // Reads the sections that a linker leaves in every dynamic program.
  void read_dynamic(program_file& program) const {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr h;
      if (gelf_getshdr(section, &h) == nullptr) continue;
      if (is_named(h, "doall_loops")) count_loops(program, section);
      if (h.sh_entsize == 0) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr) continue;
      const int entries = static_cast<int>(h.sh_size / h.sh_entsize);
      for (int i = 0; i < entries; ++i) {
        if (h.sh_type == SHT_DYNAMIC) {
          add_needed(program, data, i, h.sh_link);
          note_form(program, data, i);
        }
        if (h.sh_type == SHT_DYNSYM) add_import(program, data, i, h.sh_link);
        if (h.sh_type != SHT_SYMTAB) continue;
        program.has_symbols = true;
        note_own_runtime(program, data, i, h.sh_link);
      }
    }
  }

 private:
  bool is_named(const GElf_Shdr& h, const char* wanted) const {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return false;
    const char* name = elf_strptr(elf_, names, h.sh_name);
    return name != nullptr && std::strcmp(name, wanted) == 0;
  }

  // The notes that doall's plugin leaves in a program; each says how large it is.
  static void count_loops(program_file& program, Elf_Scn* section) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return;
    const auto* bytes = static_cast<const char*>(data->d_buf);
    for (std::size_t at = 0; at + sizeof(omp::compiled_loop) <= data->d_size;) {
      omp::compiled_loop loop;
      std::memcpy(&loop, bytes + at, sizeof loop);
      if (loop.size < sizeof loop) return;
      const auto has = [&](std::uint64_t fact) { return (loop.facts & fact) != 0 ? 1U : 0U; };
      ++program.loops.all;
      program.loops.weighted += has(omp::compiled_start::weighted);
      program.loops.uniform += has(omp::compiled_start::uniform);
      program.loops.guarded += has(omp::compiled_start::guarded);
      at += loop.size;
    }
  }

  void add_needed(program_file& program, Elf_Data* data, int index, std::size_t strings) const {
    GElf_Dyn entry;
    if (gelf_getdyn(data, index, &entry) == nullptr || entry.d_tag != DT_NEEDED) return;
    if (const char* name = elf_strptr(elf_, strings, entry.d_un.d_val)) {
      program.needed.emplace_back(name);
    }
  }

  // A program that is linked statically says that it is one.
  static void note_form(program_file& program, Elf_Data* data, int index) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, index, &entry) == nullptr || entry.d_tag != DT_FLAGS_1) return;
    if ((entry.d_un.d_val & DF_1_PIE) != 0) program.is_library = false;
  }

  void add_import(program_file& program, Elf_Data* data, int index, std::size_t strings) const {
    GElf_Sym symbol;
    if (gelf_getsym(data, index, &symbol) == nullptr || symbol.st_shndx != SHN_UNDEF) return;
    if (const char* name = elf_strptr(elf_, strings, symbol.st_name)) {
      if (*name != '\0') program.imports.emplace_back(name);
    }
  }

  // A runtime's archive (-static-libgomp, libomp.a) leaves its names here, unless stripped.
  void note_own_runtime(program_file& program, Elf_Data* data, int index,
                        std::size_t strings) const {
    GElf_Sym symbol;
    if (gelf_getsym(data, index, &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) return;
    const char* name = elf_strptr(elf_, strings, symbol.st_name);
    if (name == nullptr) return;
    for (const std::string_view entry : {"GOMP_parallel", "__kmpc_fork_call"}) {
      if (name == entry) program.own_runtime = entry;
    }
  }

  int fd_;
  Elf* elf_ = nullptr;
};

// "64-bit AArch64".
std::string machine_text(const GElf_Ehdr& h) {
  const char* name = nullptr;
  switch (h.e_machine) {
    case EM_X86_64: name = "x86-64"; break;
    case EM_386: name = "x86"; break;
    case EM_AARCH64: name = "AArch64"; break;
    case EM_ARM: name = "ARM"; break;
    case EM_RISCV: name = "RISC-V"; break;
    case EM_PPC64: name = "POWER"; break;
    case EM_S390: name = "z/Architecture"; break;
    default: break;
  }
  return fmt::format("{}-bit {}", h.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64,
                     name != nullptr ? name : fmt::format("ELF machine {}", h.e_machine));
}

void require_this_machine(const GElf_Ehdr& h, const fs::path& path) {
  const GElf_Ehdr ours = elf_file("/proc/self/exe").header();
  if (h.e_ident[EI_CLASS] == ours.e_ident[EI_CLASS] && h.e_machine == ours.e_machine) return;
  throw failure(cannot_execute, fmt::format("{} is for {}, expected {}, as doall is", path.string(),
                                            machine_text(h), machine_text(ours)));
}

// Why the dynamic linker would ignore LD_PRELOAD's paths; empty when it would not.
std::string privilege_of(const fs::path& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return {};
  if ((info.st_mode & S_ISUID) != 0) return "set-user-id";
  // Without the group's execute bit, set-group-id marks a file for locking: it is no privilege.
  if ((info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0) return "set-group-id";
  if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) return "given capabilities";
  return {};
}

}  // namespace

program_file inspect_program(const fs::path& path) {
  program_file program;
  program.path = path;
  const elf_file file(path);
  if (!file.is_elf()) {
    file.read_text(program);
    return program;
  }

  const GElf_Ehdr h = file.header();
  require_this_machine(h, path);
  if (h.e_type != ET_EXEC && h.e_type != ET_DYN) {
    throw failure(cannot_execute,
                  fmt::format("{} is an {}, not a program", path.string(),
                              h.e_type == ET_REL ? "object file, which is yet to be linked"
                                                 : "ELF file of another type"));
  }
  if (file.bytes() < file.needed_bytes()) {
    throw failure(cannot_execute,
                  fmt::format("{} is cut short: it has {} bytes, its header needs {}",
                              path.string(), file.bytes(), file.needed_bytes()));
  }
  program.interpreter = file.interpreter();
  program.is_library = h.e_type == ET_DYN && program.interpreter.empty();
  file.read_dynamic(program);
  return program;
}

void require_preloadable(const program_file& program) {
  if (!program.is_elf()) return;
  const auto refuse = [&](const std::string& why) {
    throw failure(cannot_execute, fmt::format("{} {}", program.path.string(), why));
  };
  if (program.is_library) refuse("is a library, which only a program can run");
  if (program.is_static()) {
    if (program.own_runtime.empty()) return;
    refuse("is linked statically, so its OpenMP runtime cannot be replaced; link it dynamically");
  }
  const std::string ours = elf_file("/proc/self/exe").interpreter();
  if (fs::path(program.interpreter).filename() != fs::path(ours).filename()) {
    refuse(fmt::format("is linked for another C library ({}, expected {})", program.interpreter,
                       ours));
  }
  const std::string privilege = privilege_of(program.path);
  if (!privilege.empty()) {
    refuse(
        fmt::format("is {}, so the dynamic linker ignores libraries given by the user; run a "
                    "copy without the privilege",
                    privilege));
  }
}

bool is_openmp_runtime(const std::string& library) {
  return library.starts_with("libgomp.so") || library.starts_with("libomp.so") ||
         library.starts_with("libiomp5.so");
}

}  // namespace doall::cli
