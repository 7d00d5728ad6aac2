#include "omp/llvm/ident.hpp"

#include <charconv>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/sync.hpp"
#include "base/unload.hpp"
#include "observe/site.hpp"
#include "omp/llvm/environment.hpp"
#include "omp/static_tls.hpp"

namespace doall::omp {
namespace {

// The parts of a source text. Kept until the library is unloaded: sites compare files by address.
struct parts {
  const char* file = nullptr;
  std::string function;
  std::uint32_t line = 0;
};

struct known_sources {
  std::unordered_map<std::string, bool> files;  // whose keys are the texts
  std::unordered_map<const char*, parts> by_text;
};

constinit base::lone_mutex sources_lock;
[[maybe_unused]] const int sources_lock_is_free = base::free_in_children<sources_lock>();
constinit base::lazy<known_sources> sources;
const base::at_unload forget_sources([] { sources.drop(); });

std::string_view take_field(std::string_view& rest) {
  const auto end = rest.find(';');
  const std::string_view field = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return field;
}

parts parse(known_sources& known, std::string_view text) {
  if (text.starts_with(';')) text.remove_prefix(1);
  parts found;
  const std::string_view file = take_field(text);
  found.function = take_field(text);
  const std::string_view line = take_field(text);
  std::from_chars(line.data(), line.data() + line.size(), found.line);
  if (found.line == 0 || file.empty() || file == "unknown") return {};
  found.file = known.files.try_emplace(std::string(file)).first->first.c_str();
  return found;
}

constinit sync::atomic<std::int32_t> numbers_given{0};

}  // namespace

DOALL_STATIC_TLS constinit thread_local std::int32_t thread_number_and_1 = 0;

source_place place_of(const ident_t* at, const void* code) {
  source_place place(code);
  place.door = "llvm";
  if (at == nullptr || at->source == nullptr || !observe::enabled()) return place;
  const std::lock_guard held(sources_lock);
  known_sources& known = sources.get([] { return known_sources(); });
  auto [found, is_new] = known.by_text.try_emplace(at->source);
  if (is_new) found->second = parse(known, at->source);
  const parts& p = found->second;
  if (p.file == nullptr) return place;
  place.key.file = p.file;
  place.key.line = p.line;
  place.function = p.function.c_str();
  return place;
}

std::int32_t give_thread_number() {
  kmp_environment();  // every program of LLVM's comes here before its first region
  // (1) relaxed; alone: a number; nothing is communicated with it
  thread_number_and_1 = numbers_given.fetch_add(1, sync::relaxed) + 1;
  return thread_number_and_1 - 1;
}

std::int32_t count_threads_met() {
  // (2) relaxed; alone: as (1)
  return numbers_given.load(sync::relaxed);
}

}  // namespace doall::omp
