#include "omp/allocator_setting.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/env.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"

namespace doall::omp {
namespace {

constexpr choice allocators[] = {
    {"omp_default_mem_alloc", 1},       {"omp_large_cap_mem_alloc", 2},
    {"omp_const_mem_alloc", 3},         {"omp_high_bw_mem_alloc", 4},
    {"omp_low_lat_mem_alloc", 5},       {"omp_cgroup_mem_alloc", 6},
    {"omp_pteam_mem_alloc", 7},         {"omp_thread_mem_alloc", 8},
    {"ompx_gnu_pinned_mem_alloc", 200},
};
// A space alone stands for its predefined allocator, whose number is one more.
constexpr choice spaces[] = {
    {"omp_default_mem_space", 0}, {"omp_large_cap_mem_space", 1}, {"omp_const_mem_space", 2},
    {"omp_high_bw_mem_space", 3}, {"omp_low_lat_mem_space", 4},
};

// omp_alloctrait_key_t, and the words of omp_alloctrait_value_t for each; none: a number.
constexpr choice booleans[] = {{"false", 0}, {"true", 1}};
constexpr choice sync_hints[] = {
    {"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"sequential", 5}, {"private", 6}};
constexpr choice accesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr choice fallbacks[] = {
    {"default_mem_fb", 11}, {"null_fb", 12}, {"abort_fb", 13}, {"allocator_fb", 14}};
constexpr choice partitions[] = {
    {"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};
struct trait {
  std::string_view name;
  int key;
  std::span<const choice> words;
};
constexpr trait traits[] = {
    {"sync_hint", 1, sync_hints}, {"alignment", 2, {}},         {"access", 3, accesses},
    {"pool_size", 4, {}},         {"fallback", 5, fallbacks},   {"fb_data", 6, allocators},
    {"pinned", 7, booleans},      {"partition", 8, partitions},
};

// "pinned=true"; nothing if there is no such trait or value.
std::optional<omp_alloctrait> read_trait(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = base::trim(text.substr(0, equals));
  const std::string_view value = base::trim(text.substr(equals + 1));
  const auto found =
      std::ranges::find_if(traits, [&](const trait& t) { return base::same_word(t.name, name); });
  if (found == std::end(traits)) return std::nullopt;
  if (found->words.empty()) {
    const auto number = base::parse_number(value, 1, std::numeric_limits<std::uint64_t>::max());
    if (!number) return std::nullopt;
    return omp_alloctrait{found->key, *number};
  }
  const choice* word = find_choice(found->words, value);
  if (word == nullptr) return std::nullopt;
  return omp_alloctrait{found->key, word->value};
}

// Returns 0 for a text that names no allocator.
std::uintptr_t read_allocator(std::string_view text) {
  if (const choice* predefined = find_choice(allocators, text)) return predefined->value;
  const auto colon = text.find(':');
  const choice* space = find_choice(spaces, base::trim(text.substr(0, colon)));
  if (space == nullptr) return 0;
  if (colon == std::string_view::npos) return space->value + 1;
  std::vector<omp_alloctrait> wanted;
  for (std::string_view rest = text.substr(colon + 1);;) {
    const auto comma = rest.find(',');
    const auto one = read_trait(rest.substr(0, comma));
    if (!one) return 0;
    wanted.push_back(*one);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return omp_init_allocator(space->value, static_cast<int>(wanted.size()), wanted.data());
}

}  // namespace

std::uintptr_t allocator_from_environment() {
  const std::uintptr_t usual = allocators[0].value;
  const auto text = base::env_text("OMP_ALLOCATOR");
  if (!text) return usual;
  if (const std::uintptr_t found = read_allocator(*text)) return found;
  base::warn_once("OMP_ALLOCATOR=\"" + *text +
                  "\" is ignored: expected a predefined allocator, a memory space, or "
                  "SPACE:TRAIT=VALUE,...; omp_default_mem_alloc is used");
  return usual;
}

std::string allocator_text(std::uintptr_t handle) {
  const auto found =
      std::ranges::find_if(allocators, [&](const choice& c) { return c.value == handle; });
  if (found != std::end(allocators)) return std::string(found->word);
  const char* const text = std::getenv("OMP_ALLOCATOR");  // as it stands there
  return text != nullptr ? text : "one that the program made";
}

}  // namespace doall::omp
