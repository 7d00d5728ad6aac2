// SPDX-License-Identifier: GPL-3.0-or-later
// What was found of a file's loops: for people (doall cc --explain) and as JSON.
//
// A report has a line for each loop. What other sources have put there stays: a build may name one
// file for all.
#include "plugin.hpp"

#include "options.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace doall::plugin {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + '"';
}

void explain(const loop_facts& loop) {
  std::printf("%s:%d: schedule %s: ", loop.file.c_str(), loop.line, loop.was);
  if (loop.left != nullptr) {
    std::printf("not steered: %s\n", loop.left);
    return;
  }
  if (loop.keeps != nullptr) {
    std::printf("not steered without -fdoall-nowait: %s\n", loop.keeps);
    return;
  }
  std::printf("steered; costs %s", loop.kind);
  if (loop.reason != nullptr) std::printf(": %s", loop.reason);
  if (!loop.cost.empty()) std::printf(": %s%s", loop.at_most ? "at most " : "", loop.cost.c_str());
  if (loop.grain != 0) std::printf("; grain %llu", static_cast<unsigned long long>(loop.grain));
  if (loop.fine != 0)
    std::printf("; fine up to %llu iterations: alike, and less than 100 ms in all",
                static_cast<unsigned long long>(loop.fine));
  std::printf("\n");
}

// How each entry of this source begins. A name that is relative is one of the folder's.
std::string beginning() {
  const std::string source = main_input_filename != nullptr ? main_input_filename : "";
  std::string text = "  {\"source\": " + quoted(source) + ", ";
  const char* const folder = IS_ABSOLUTE_PATH(source.c_str()) ? nullptr : getpwd();
  if (folder != nullptr) text += "\"folder\": " + quoted(folder) + ", ";
  return text;
}

void write(std::FILE* file, const loop_facts& loop) {
  const char* const why_not = loop.left != nullptr ? loop.left : loop.keeps;
  std::fprintf(file, "%s\"file\": %s, \"line\": %d, \"schedule\": %s, \"steered\": %s",
               beginning().c_str(), quoted(loop.file).c_str(), loop.line, quoted(loop.was).c_str(),
               why_not == nullptr ? "true" : "false");
  if (why_not != nullptr) {
    std::fprintf(file, ", \"reason\": %s}", quoted(why_not).c_str());
    return;
  }
  std::fprintf(file, ", \"costs\": %s", quoted(loop.kind).c_str());
  if (loop.reason != nullptr) std::fprintf(file, ", \"reason\": %s", quoted(loop.reason).c_str());
  if (!loop.cost.empty()) std::fprintf(file, ", \"cost\": %s", quoted(loop.cost).c_str());
  if (loop.at_most) std::fprintf(file, ", \"at_most\": true");
  if (loop.about) std::fprintf(file, ", \"about\": true");
  std::fprintf(file, ", \"grain\": %llu, \"fine\": %llu}",
               static_cast<unsigned long long>(loop.grain),
               static_cast<unsigned long long>(loop.fine));
}

// The entries in the file that other sources have: an entry is a line.
std::vector<std::string> others_in(std::FILE* file) {
  std::vector<std::string> found;
  const std::string own = beginning();
  char* line = nullptr;
  size_t room = 0;
  for (ssize_t n = 0; (n = getline(&line, &room, file)) > 0;) {
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == ',')) line[--n] = '\0';
    if (startswith(line, "  {\"source\": ") && !startswith(line, own.c_str()))
      found.emplace_back(line);
  }
  free(line);
  return found;
}

// Whether a source was read by the compiler, not by the preprocessor alone (-E, -M).
bool compiles = false;

void begin_source(void*, void*) { compiles = true; }

void report(void*, void*) {
  if (in_lto_p || !compiles) return;
  if (asked.explains) {
    for (const loop_facts& loop : loops) explain(loop);
  }
  if (asked.report.empty()) return;
  const int descriptor = open(asked.report.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "r+");
  if (file == nullptr) {
    std::fprintf(stderr, "doall: the report could not be written to \"%s\": %s; there is none\n",
                 asked.report.c_str(), xstrerror(errno));
    return;
  }
  flock(descriptor, LOCK_EX);  // a build compiles several files at once
  const std::vector<std::string> others = others_in(file);
  std::rewind(file);
  if (ftruncate(descriptor, 0) != 0) std::fprintf(stderr, "doall: %s\n", xstrerror(errno));
  const char* between = "[\n";
  for (const std::string& line : others) {
    std::fprintf(file, "%s%s", std::exchange(between, ",\n"), line.c_str());
  }
  for (const loop_facts& loop : loops) {
    std::fprintf(file, "%s", std::exchange(between, ",\n"));
    write(file, loop);
  }
  std::fprintf(file, "%s\n]\n", *between == '[' ? "[" : "");
  std::fclose(file);  // and unlocked
}

}  // namespace

void register_report(const char* plugin) {
  register_callback(plugin, PLUGIN_START_UNIT, begin_source, nullptr);
  register_callback(plugin, PLUGIN_FINISH, report, nullptr);
}

}  // namespace doall::plugin
