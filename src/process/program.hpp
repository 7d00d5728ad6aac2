// The program that a user wants to run: finds it, and checks whether a preloaded library can reach
// it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace doall::cli {

// Loops that doall's plugin compiled: by what it knows of their iterations' costs.
struct compiled_loops {
  unsigned all = 0;
  unsigned weighted = 0;
  unsigned uniform = 0;
  unsigned guarded = 0;
};

enum class file_kind { elf, script, text, archive, data };

struct program_file {
  std::filesystem::path path;
  file_kind kind = file_kind::elf;
  std::string script_of;  // what its first line names to run it; empty: the shell
  // The members below are an ELF file's.
  std::string interpreter;           // the dynamic linker; empty when linked statically
  bool is_library = false;           // a shared library, which only a program can run
  std::vector<std::string> needed;   // DT_NEEDED, in order
  std::vector<std::string> imports;  // functions that it imports from its libraries
  compiled_loops loops;
  std::string own_runtime;   // a function of an OpenMP runtime that is linked into it
  bool has_symbols = false;  // without, that cannot be told

  bool is_elf() const { return kind == file_kind::elf; }
  bool is_static() const { return is_elf() && interpreter.empty() && !is_library; }
};

// The file that execvp(3) would run for `name`. Throws failure: not_found, or cannot_execute when
// it is a folder or not executable.
std::filesystem::path find_program(const std::string& name);

// The same, but a path may be that of a library, which need not be executable.
std::filesystem::path find_program_or_library(const std::string& name);

// Inspects the file. Throws failure (cannot_execute) when it cannot be read, is built for another
// machine, is cut short, or is an ELF file that is no program.
program_file inspect_program(const std::filesystem::path& path);

// Throws failure (cannot_execute) when the dynamic linker would not load doall's library into the
// program: linked statically with its runtime, privileged, of another C library. One that is linked
// statically without a runtime may start others, as AppImages and launchers do.
void require_preloadable(const program_file& program);

// Whether the text is the name of an OpenMP runtime's shared library.
bool is_openmp_runtime(const std::string& library);

}  // namespace doall::cli
