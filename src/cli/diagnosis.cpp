#include "cli/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "process/dynamic_linker.hpp"
#include "process/failure.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

openmp_calls calls_of(const program_file& file) {
  openmp_calls found;
  for (const std::string& function : file.imports) {
    const auto has = [&](const char* word) { return function.find(word) != std::string::npos; };
    if (function.starts_with("__kmpc_")) {
      found.regions = found.regions || has("_fork_call");
      if (has("_dispatch_init") || has("_for_static_init")) found.steerable.push_back(function);
    }
    if (!function.starts_with("GOMP_")) continue;
    found.regions = found.regions || has("GOMP_parallel");
    const bool begins_loop = has("_start") || has("GOMP_parallel_loop");
    if (begins_loop && (has("_runtime") || has("_dynamic") || has("_guided"))) {
      found.steerable.push_back(function);
    }
  }
  return found;
}

bool names_runtime(const program_file& file) {
  return std::ranges::any_of(file.needed, is_openmp_runtime);
}

// Looks at all that the dynamic linker would load under `doall run`: the OpenMP runtimes among it
// that are not doall's, and the libraries that call OpenMP.
void walk_libraries(diagnosis& d) {
  for (const std::string& line : linker_lines(d.program)) {
    // "libgomp.so.1 => /lib/libgomp.so.1 (0x00007f...)"; "/lib64/ld-linux-x86-64.so.2 (0x...)"
    std::string_view path = line;
    if (const auto end = path.find(" => not found"); end != path.npos) {
      const std::string name(path.substr(0, end));
      if (std::ranges::find(d.missing, name) == d.missing.end()) d.missing.push_back(name);
      continue;
    }
    if (const auto arrow = path.find("=> "); arrow != path.npos) path.remove_prefix(arrow + 3);
    path = path.substr(0, path.find(" ("));
    const std::filesystem::path file(path);
    std::error_code ignored;
    const bool ours = path.find("/libdoall") != path.npos || path.find("/doall/omp/") != path.npos;
    if (ours || !std::filesystem::is_regular_file(file, ignored)) continue;
    if (is_openmp_runtime(file.filename())) {
      d.foreign.push_back(file.string());
      continue;
    }
    if (std::filesystem::equivalent(file, d.program.path, ignored)) continue;
    try {
      const program_file library = inspect_program(file);
      const openmp_calls calls = calls_of(library);
      if (calls.any()) d.libraries.push_back({file.string(), calls, names_runtime(library)});
    } catch (const failure&) {  // not to be read: nothing is known of it
    }
  }
}

}  // namespace

diagnosis diagnose(const std::string& name) {
  diagnosis d;
  d.program = inspect_program(find_program_or_library(name));
  d.calls = calls_of(d.program);
  try {
    if (!d.program.is_library) {
      find_program(name);
      require_preloadable(d.program);
    }
    // Whoever is linked statically would be run, not listed.
    if (d.program.is_elf() && !d.program.is_static()) walk_libraries(d);
  } catch (const failure& f) {
    d.refusal = f.what();
  }
  std::ranges::copy_if(d.program.needed, std::back_inserter(d.runtimes), is_openmp_runtime);
  return d;
}

namespace {

// What a schedule reaches of a file's loops.
std::string reach_text(const openmp_calls& calls) {
  return calls.steerable.empty()
             ? "regions only: GCC has compiled its loops into them, so --schedule reaches none; "
               "schedule(runtime) in the source would let it"
             : "its loops with the entry points below take --schedule";
}

// The libraries that call OpenMP, by what a schedule reaches of them.
std::string libraries_text(const std::vector<openmp_library>& all) {
  std::vector<std::string> each;
  for (const openmp_library& l : all) {
    each.push_back(std::filesystem::path(l.path).filename().string() +
                   (l.calls.steerable.empty() ? " (regions only)" : " (loops take --schedule)"));
  }
  return list_text(each);
}

std::string missing_text(const diagnosis& d) {
  return fmt::format("it needs {}, which the dynamic linker does not find here (LD_LIBRARY_PATH)",
                     list_text(d.missing));
}

std::string verdict_of_library(const diagnosis& d) {
  const std::string runs = "a library; of a program that loads it, ";
  if (!d.missing.empty() && !d.calls.any()) return "cannot tell: " + missing_text(d);
  if (!d.program.own_runtime.empty())
    return runs + fmt::format("nothing: it has a runtime of its own ({})", d.program.own_runtime);
  if (d.calls.any()) {
    return runs + reach_text(d.calls) +
           (d.runtimes.empty() ? "; it names no runtime, so the program is to have one" : "");
  }
  if (!d.libraries.empty()) return runs + "through " + libraries_text(d.libraries);
  return runs + "nothing: neither it nor what it needs calls OpenMP";
}

std::string verdict_of_text(const program_file& file) {
  std::error_code ignored;
  switch (file.kind) {
    case file_kind::archive: return "no: an archive, of which programs are linked";
    case file_kind::data: return "no: neither an ELF program nor a script";
    case file_kind::text: return "yes: the shell runs it, and every program that it starts";
    default: break;
  }
  if (!std::filesystem::exists(file.script_of, ignored))
    return fmt::format("no: what is to run it is not there: \"{}\"", file.script_of);
  return fmt::format("yes: a script for {}, and every program that it starts", file.script_of);
}

}  // namespace

std::string verdict(const diagnosis& d) {
  const file_kind kind = d.program.kind;
  if (kind == file_kind::archive || kind == file_kind::data) return verdict_of_text(d.program);
  if (!d.refusal.empty()) return "no: " + d.refusal;
  if (!d.program.is_elf()) return verdict_of_text(d.program);
  if (d.program.is_library) return verdict_of_library(d);
  if (d.program.is_static()) {
    return fmt::format(
        "programs that it starts; not itself, for it is linked statically{}",
        d.program.has_symbols ? "" : ": without symbols nobody can tell whether OpenMP is in it");
  }
  if (!d.missing.empty()) return "no, it does not start: " + missing_text(d);
  if (d.program.loops.all > 0) {
    return fmt::format("yes: doall compiled {} loop(s) of it{}", d.program.loops.all,
                       d.calls.steerable.empty() ? "" : ", and those with the entry points below");
  }
  if (d.calls.any()) return (d.calls.steerable.empty() ? "" : "yes: ") + reach_text(d.calls);
  if (!d.program.own_runtime.empty()) {
    return fmt::format("no: its OpenMP runtime is linked into it ({})", d.program.own_runtime);
  }
  if (!d.foreign.empty()) {
    return fmt::format("no: it loads a runtime that doall does not replace: {}",
                       list_text(d.foreign));
  }
  if (!d.libraries.empty()) return "yes: through " + libraries_text(d.libraries);
  if (!d.runtimes.empty()) return "yes: its OpenMP runtime is doall's";
  return "only through a library that it opens later: neither it nor what it needs calls OpenMP";
}

}  // namespace doall::cli
