// Where tools are looked for, in this order (OpenMP 5.1, section 4.2.2):
//
//   1. a function ompt_start_tool() in the program, or in a library that is loaded
//   2. the same in each library of OMP_TOOL_LIBRARIES, whose names colons separate
//
// The first that does not return null is the tool. OMP_TOOL=disabled leaves all alone.
// OMP_TOOL_VERBOSE_INIT says where each step is reported: stdout, stderr, or a file's name.
//
// A library that cannot be used gets one message, and the search goes on.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "base/env.hpp"
#include "base/find_symbol.hpp"
#include "base/own_file.hpp"
#include "omp/ompt/tool.hpp"

namespace doall::omp::ompt {
namespace {

constexpr unsigned openmp_version = 202011;
constexpr const char* runtime_version = "doall " DOALL_VERSION;

using start_function = ompt_start_tool_result_t* (*)(unsigned, const char*);

// A file is appended to, for a program's processes may share it. A file that cannot be opened gets
// a message for each process.
void write_line(const std::string& where, std::string_view text) {
  const std::string line = "doall: tools: " + std::string(text) + "\n";
  if (base::same_word(where, "stdout") || base::same_word(where, "stderr")) {
    std::FILE* const to = base::same_word(where, "stdout") ? stdout : stderr;
    std::fputs(line.c_str(), to);
    std::fflush(to);
    return;
  }
  std::FILE* const file = std::fopen(where.c_str(), "a");
  if (file == nullptr) {
    base::warn_once("OMP_TOOL_VERBOSE_INIT=\"" + where +
                    "\" is ignored: expected disabled, stdout, stderr or a file that can be "
                    "written; disabled is used");
    return;
  }
  std::fputs(line.c_str(), file);
  std::fclose(file);
}

// Empty: steps are not reported.
std::string report_place() {
  const auto text = base::env_path("OMP_TOOL_VERBOSE_INIT");
  return !text || text->empty() || base::same_word(*text, "disabled") ? std::string() : *text;
}

void report(const std::string& text) {
  if (const std::string where = report_place(); !where.empty()) write_line(where, text);
}

bool is_enabled() {
  const auto text = base::env_text("OMP_TOOL");
  if (!text || base::same_word(*text, "enabled")) return true;
  if (base::same_word(*text, "disabled")) return false;
  base::warn_once("OMP_TOOL=\"" + *text +
                  "\" is ignored: expected enabled or disabled; enabled is used");
  return true;
}

ompt_start_tool_result_t* start(void* function) {
  return reinterpret_cast<start_function>(function)(openmp_version, runtime_version);
}

ompt_start_tool_result_t* start_library(const std::string& name, const std::string& all) {
  const auto refuse = [&](const std::string& why) {
    report(name + ": " + why);
    base::warn_once("OMP_TOOL_LIBRARIES=\"" + all + "\": \"" + name +
                    "\" is ignored: expected a library with ompt_start_tool(), but " + why +
                    "; the program goes on without it");
    return nullptr;
  };
  void* const library = dlopen(name.c_str(), RTLD_LAZY);
  if (library == nullptr) {
    const char* const error = dlerror();
    return refuse(error != nullptr ? error : "it cannot be loaded");
  }
  void* const function = dlsym(library, "ompt_start_tool");
  if (function == nullptr) {
    dlclose(library);
    return refuse("it has no such function");
  }
  ompt_start_tool_result_t* const found = start(function);
  report(name + (found != nullptr ? ": has a tool" : ": its tool does not want to be used"));
  if (found == nullptr) dlclose(library);
  return found;
}

}  // namespace

void note_start(const char* text) { report(text); }

bool may_find_tool() {
  if (!report_place().empty() || base::env_path("OMP_TOOL_LIBRARIES")) return true;
  if (!is_enabled()) return false;
  return base::find_symbol("ompt_start_tool") != nullptr;
}

ompt_start_tool_result_t* find_tool() {
  if (!is_enabled()) {
    report("OMP_TOOL is disabled");
    return nullptr;
  }
  void* const function = base::find_symbol("ompt_start_tool");
  if (function != nullptr) {
    ompt_start_tool_result_t* const found = start(function);
    report(found != nullptr ? "the program has a tool"
                            : "the program has a tool that does not want to be used");
    if (found != nullptr) return found;
  } else {
    report("the program has no ompt_start_tool()");
  }
  const auto all = base::env_path("OMP_TOOL_LIBRARIES");
  if (!all) return nullptr;
  for (std::string_view rest = *all; !rest.empty();) {
    const auto end = rest.find(':');
    const std::string name(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (name.empty()) continue;
    if (ompt_start_tool_result_t* const found = start_library(name, *all)) return found;
  }
  return nullptr;
}

}  // namespace doall::omp::ompt
