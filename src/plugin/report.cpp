// SPDX-License-Identifier: GPL-3.0-or-later
// What was found of a file's loops: for people (doall cc --explain) and as JSON.
#include "plugin.hpp"

#include <cerrno>
#include <cstdio>

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
    std::printf("; fine up to %llu iterations", static_cast<unsigned long long>(loop.fine));
  std::printf("\n");
}

void write(std::FILE* file, const loop_facts& loop) {
  const char* const why_not = loop.left != nullptr ? loop.left : loop.keeps;
  std::fprintf(file, "  {\"file\": %s, \"line\": %d, \"schedule\": %s, \"steered\": %s",
               quoted(loop.file).c_str(), loop.line, quoted(loop.was).c_str(),
               why_not == nullptr ? "true" : "false");
  if (why_not != nullptr) {
    std::fprintf(file, ", \"reason\": %s}", quoted(why_not).c_str());
    return;
  }
  std::fprintf(file, ", \"costs\": %s", quoted(loop.kind).c_str());
  if (loop.reason != nullptr) std::fprintf(file, ", \"reason\": %s", quoted(loop.reason).c_str());
  if (!loop.cost.empty()) std::fprintf(file, ", \"cost\": %s", quoted(loop.cost).c_str());
  if (loop.at_most) std::fprintf(file, ", \"at_most\": true");
  std::fprintf(file, ", \"grain\": %llu, \"fine\": %llu}",
               static_cast<unsigned long long>(loop.grain),
               static_cast<unsigned long long>(loop.fine));
}

void report(void*, void*) {
  if (in_lto_p) return;
  if (asked.explains) {
    for (const loop_facts& loop : loops) explain(loop);
  }
  if (asked.report.empty()) return;
  std::FILE* file = std::fopen(asked.report.c_str(), "w");
  if (file == nullptr) {
    std::fprintf(stderr, "doall: the report could not be written to \"%s\": %s; there is none\n",
                 asked.report.c_str(), xstrerror(errno));
    return;
  }
  std::fprintf(file, "[\n");
  for (const loop_facts& loop : loops) {
    if (&loop != loops.data()) std::fprintf(file, ",\n");
    write(file, loop);
  }
  std::fprintf(file, "\n]\n");
  std::fclose(file);
}

}  // namespace

void register_report(const char* plugin) {
  register_callback(plugin, PLUGIN_FINISH, report, nullptr);
}

}  // namespace doall::plugin
