#include "omp/affinity_format.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"
#include "topology/topology.hpp"

namespace doall::omp {
namespace {

constinit base::lone_mutex format_lock;
[[maybe_unused]] const int format_lock_is_free = base::free_in_children<format_lock>();
constinit base::lazy<std::string> lazy_format;
const base::at_unload free_format([] { lazy_format.drop(); });

std::string& the_format() {
  return lazy_format.get([] { return process().affinity_format; });
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// "0-3,6"
std::string cpus_of_caller() {
  const std::vector<int> cpus = topology::allowed_cpus();
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[first]);
    if (last != first) text += "-" + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

struct field_type {
  char letter;
  std::string_view name;
  bool number;
  std::string (*value)();
};

constexpr field_type types[] = {
    {'t', "team_num", true, [] { return std::to_string(omp_get_team_num()); }},
    {'T', "num_teams", true, [] { return std::to_string(omp_get_num_teams()); }},
    {'L', "nesting_level", true, [] { return std::to_string(omp_get_level()); }},
    {'n', "thread_num", true, [] { return std::to_string(omp_get_thread_num()); }},
    {'N', "num_threads", true, [] { return std::to_string(omp_get_num_threads()); }},
    {'a', "ancestor_tnum", true,
     [] { return std::to_string(omp_get_ancestor_thread_num(omp_get_level() - 1)); }},
    {'H', "host", false, host_name},
    {'P', "process_id", true, [] { return std::to_string(getpid()); }},
    {'i', "native_thread_id", true, [] { return std::to_string(gettid()); }},
    {'A', "thread_affinity", false, cpus_of_caller},
};

// Takes a type off `rest`, which is not empty; null when it is none that is known.
const field_type* take_type(std::string_view& rest) {
  const field_type* found = nullptr;
  if (rest.front() == '{') {
    const auto end = std::min(rest.find('}'), rest.size());
    found = std::ranges::find(types, rest.substr(1, end - 1), &field_type::name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  } else {
    found = std::ranges::find(types, rest.front(), &field_type::letter);
    rest.remove_prefix(1);
  }
  return found == std::end(types) ? nullptr : found;
}

std::string fill(std::string value, std::size_t width, bool right, bool zeros) {
  if (value.size() >= width) return value;
  const std::size_t missing = width - value.size();
  if (!right) return value.append(missing, ' ');
  if (!zeros) return value.insert(0, missing, ' ');
  return value.insert(value.front() == '-' ? 1 : 0, missing, '0');
}

// Takes the field at the front of `rest`, after its percent sign, and returns its expansion; of a
// type that is not known "undefined", as the standard and LLVM have it. If nothing follows, or the
// width is absurd, takes nothing and returns nothing.
std::optional<std::string> take_field(std::string_view& rest) {
  // The width bounds memory too; no table needs more.
  constexpr std::size_t width_max = 4096;
  std::string_view at = rest;
  const auto take = [&at](char c) {
    if (at.empty() || at.front() != c) return false;
    at.remove_prefix(1);
    return true;
  };
  const bool zeros = take('0');
  const bool right = take('.');
  std::size_t width = 0;
  const auto [end, status] = std::from_chars(at.data(), at.data() + at.size(), width);
  if (status == std::errc{}) at.remove_prefix(static_cast<std::size_t>(end - at.data()));
  if (at.empty() || width > width_max) return std::nullopt;
  rest = at;
  const field_type* type = take_type(rest);
  if (type == nullptr) return "undefined";
  return fill(type->value(), width, right, zeros && type->number);
}

// Copies what fits of `text` and a terminator to `buffer`.
void copy_out(const std::string& text, char* buffer, std::size_t size) {
  if (size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
}

// One write, so that lines of several threads do not mix. If standard error is gone, ignore it.
void print_line(const std::string& text) {
  const std::string line = text + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

// The hash of what show_affinity() last printed on this thread.
constinit thread_local std::size_t last_shown = 0;

}  // namespace

std::string affinity_format() {
  std::string& current = the_format();
  const std::lock_guard hold(format_lock);
  return current;
}

void set_affinity_format(std::string_view format) {
  std::string& current = the_format();
  const std::lock_guard hold(format_lock);
  current = format;
}

std::string expand_affinity_format(std::string_view format) {
  const std::string usual = format.empty() ? affinity_format() : std::string{};
  std::string_view rest = format.empty() ? std::string_view(usual) : format;
  std::string text;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '%' && rest.starts_with('%')) {
      rest.remove_prefix(1);
    } else if (c == '%') {
      if (const auto expanded = take_field(rest)) {
        text += *expanded;
        continue;
      }
    }
    text += c;
  }
  return text;
}

void show_affinity() {
  const std::string text = expand_affinity_format({});
  const std::size_t hash = std::hash<std::string>()(text);
  if (std::exchange(last_shown, hash) != hash) print_line(text);
}

void display_affinity(std::string_view format) { print_line(expand_affinity_format(format)); }

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void omp_set_affinity_format(const char* format) { set_affinity_format(format); }
std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
  const std::string format = affinity_format();
  copy_out(format, buffer, size);
  return format.size();
}
void omp_display_affinity(const char* format) { display_affinity(format == nullptr ? "" : format); }
std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
  const std::string text = expand_affinity_format(format == nullptr ? "" : format);
  copy_out(text, buffer, size);
  return text.size();
}

}  // extern "C"
