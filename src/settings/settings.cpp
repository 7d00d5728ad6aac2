#include "settings/settings.hpp"

#include <limits.h>
#include <sys/resource.h>

#include <algorithm>
#include <forward_list>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/asymmetric_fence.hpp"
#include "base/env.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/sync.hpp"
#include "base/unload.hpp"
#include "settings/binding.hpp"
#include "topology/domains.hpp"
#include "topology/topology.hpp"

namespace doall::team {

namespace {

// "4" or, in OpenMP's variable, "4,2,1": a number for each level. None if one of them is bad.
std::vector<std::uint32_t> threads_from(const char* name, std::uint32_t otherwise) {
  const auto text = base::env_text(name);
  if (!text) return {};
  const bool may_be_list = std::string_view(name) == "OMP_NUM_THREADS";
  const std::string begin = std::string(name) + "=\"" + *text + "\" is ";
  const std::string most = std::to_string(most_workers);
  std::vector<std::uint32_t> numbers;
  bool are_too_many = false;
  for (std::string_view rest = *text;;) {
    const auto comma = may_be_list ? rest.find(',') : std::string_view::npos;
    const auto value = base::parse_number(base::trim(rest.substr(0, comma)), 1,
                                          std::numeric_limits<std::uint64_t>::max());
    if (!value) {
      base::warn_once(begin + "ignored: expected a whole number from 1 to " + most +
                      (may_be_list ? ", or some between commas" : "") + "; " +
                      std::to_string(otherwise) + " is used");
      return {};
    }
    are_too_many = are_too_many || *value > most_workers;
    numbers.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, most_workers)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (are_too_many) {
    base::warn_once(begin + "too large: expected a whole number from 1 to " + most + "; " + most +
                    " is used");
  }
  return numbers;
}

// Reads a variable whose value is one of some words. If it is unset, or none of them, returns the
// first word's meaning; in the latter case warns, and `otherwise` says what happens now.
template <class Meaning>
Meaning word_from(const char* name,
                  std::initializer_list<std::pair<std::string_view, Meaning>> words,
                  const char* otherwise) {
  const auto text = base::env_text(name);
  if (!text) return words.begin()->second;
  std::string expected;
  for (const auto& [word, meaning] : words) {
    if (base::same_word(*text, word)) return meaning;
    expected += std::string(expected.empty() ? "" : " or ") + std::string(word);
  }
  base::warn_once(std::string(name) + "=\"" + *text + "\" is ignored: expected " + expected + "; " +
                  otherwise);
  return words.begin()->second;
}

// Where several variables say the same, all are read, so that a bad value is reported wherever it
// is.

std::uint64_t stack_of_main_thread() {
  constexpr rlim_t most = rlim_t{256} << 20;
  constexpr rlim_t without_limit = rlim_t{64} << 20;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0) return 0;
  return stack.rlim_cur == RLIM_INFINITY ? without_limit : std::min(stack.rlim_cur, most);
}

// The bounds of a setting's value.
struct bounds {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// A whole number and perhaps one letter of `units` behind it, which multiplies it as often by
// `factor` as the letter's place in `units` says; units of bytes may have a B behind the letter.
// Nothing if it is no such text, or beyond the bounds.
std::optional<std::uint64_t> number_with_unit(std::string_view text, std::string_view units,
                                              std::uint64_t factor, bounds in) {
  std::uint64_t scale = 1;
  const bool of_bytes = units.front() == 'b';
  if (of_bytes && text.size() > 2 && base::same_word(text.substr(text.size() - 1), "b") &&
      is_letter(text[text.size() - 2]))
    text.remove_suffix(1);
  if (!text.empty() && is_letter(text.back())) {
    const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(text.back())));
    const auto unit = units.find(letter);
    if (unit == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i < unit; ++i) scale *= factor;
    text.remove_suffix(1);
    text = base::trim(text);
  } else {
    scale = of_bytes ? factor : 1;  // bytes are counted in KiB
  }
  const auto number = base::parse_number(text, 0, in.most / scale);
  if (!number || *number * scale < in.least) return std::nullopt;
  return *number * scale;
}

// GOMP_SPINCOUNT: how often a waiting thread looks before it sleeps, with k, M, G or T, or
// infinite. A look is taken for 10 ns.
std::optional<std::uint64_t> spin_from_count() {
  constexpr std::uint64_t look_ns = 10;
  constexpr std::uint64_t most_ns = 10'000'000'000;  // as long as OMP_WAIT_POLICY=active
  const auto text = base::env_text("GOMP_SPINCOUNT");
  if (!text) return std::nullopt;
  if (base::same_word(*text, "infinite") || base::same_word(*text, "infinity")) return most_ns;
  if (const auto looks = number_with_unit(*text, "1kmgt", 1000, {})) {
    return std::min(*looks, most_ns / look_ns) * look_ns;
  }
  base::warn_once("GOMP_SPINCOUNT=\"" + *text +
                  "\" is ignored: expected a whole number, perhaps with k, M, G or T, or infinite; "
                  "waiting threads spin as if it were unset");
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> block_time_ns() {
  const auto text = base::env_text("KMP_BLOCKTIME");
  if (!text) return std::nullopt;
  if (base::same_word(*text, "infinite") || base::same_word(*text, "infinity")) return for_ever_ns;
  std::string_view number = *text;
  const auto has_unit = [&](std::string_view unit) {
    return number.size() > 2 && base::same_word(number.substr(number.size() - 2), unit);
  };
  const bool in_us = has_unit("us");
  if (in_us || has_unit("ms")) number.remove_suffix(2);
  if (const auto value = base::parse_number(base::trim(number), 0, 0x7fffffff)) {
    return *value * (in_us ? 1'000 : 1'000'000);
  }
  base::warn_once("KMP_BLOCKTIME=\"" + *text +
                  "\" is ignored: expected milliseconds, a number with us or ms, or infinite; "
                  "waiting threads spin for a few milliseconds at most, then sleep");
  return std::nullopt;
}

namespace {

// DOALL_SPIN_NS, else GOMP_SPINCOUNT, else OMP_WAIT_POLICY, else KMP_BLOCKTIME; nothing when none
// is set.
std::optional<std::uint64_t> spin_from_environment() {
  constexpr std::uint64_t longest_ns = 10'000'000'000;
  std::optional<std::uint64_t> by_policy_ns;
  if (const auto policy = base::env_text("OMP_WAIT_POLICY")) {
    if (base::same_word(*policy, "active")) {
      by_policy_ns = longest_ns;
    } else if (base::same_word(*policy, "passive")) {
      by_policy_ns = 0;
    } else {
      base::warn_once("OMP_WAIT_POLICY=\"" + *policy +
                      "\" is ignored: expected active or passive; waiting threads spin for a few "
                      "milliseconds at most, then sleep");
    }
  }
  const auto by_block_time_ns = block_time_ns();
  if (!by_policy_ns && by_block_time_ns) by_policy_ns = std::min(*by_block_time_ns, longest_ns);
  if (const auto by_count_ns = spin_from_count()) by_policy_ns = by_count_ns;
  const auto given = base::env_number("DOALL_SPIN_NS", 0, 1'000'000'000'000,
                                      by_policy_ns ? std::to_string(*by_policy_ns) : "the default");
  return given ? given : by_policy_ns;
}

// What the program has set, while it runs, to take the place of the environment's; 0: nothing.
constinit sync::atomic<std::uint64_t> stack_by_program{0};

// "64M", "512 kB", "8192" (KiB when there is no unit, in KMP_STACKSIZE bytes), "1G", "65536B".
std::uint64_t stack_from_environment() {
  const bounds of_stacks{static_cast<std::uint64_t>(PTHREAD_STACK_MIN), std::uint64_t{1} << 42};
  std::optional<std::uint64_t> found;
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"}) {
    const auto text = base::env_text(name);
    if (!text) continue;
    // LLVM's variable counts bytes.
    const bool in_bytes = name[0] == 'K' && !text->empty() && text->back() <= '9';
    const auto bytes = number_with_unit(*text + (in_bytes ? "b" : ""), "bkmgt", 1024, of_stacks);
    if (!bytes) {
      base::warn_once(
          std::string(name) + "=\"" + *text +
          "\" is ignored: expected a whole number and B, K, M, G or T, at least " +
          std::to_string(of_stacks.least) +
          " bytes; the main thread's limit is used, unless another variable says a size");
    } else if (!found) {
      found = bytes;
    }
  }
  return found ? *found : stack_of_main_thread();
}

settings read_environment() {
  base::warn_of_bad_fence_setting();
  settings s;
  const topology::thread_count found = topology::default_thread_count();
  s.threads = std::min(found.value, most_workers);
  s.threads_why = found.why;
  s.cpus = found.value;
  // The more specific variable wins.
  for (const char* name : {"OMP_NUM_THREADS", "DOALL_NUM_THREADS"}) {
    const std::vector<std::uint32_t> numbers = threads_from(name, s.threads);
    if (numbers.empty()) continue;
    s.threads = numbers.front();
    s.threads_why = name;
    if (numbers.size() > 1) s.threads_by_level = numbers;
  }
  if (!s.threads_by_level.empty()) s.threads_by_level.front() = s.threads;
  if (const auto spin_ns = spin_from_environment()) s.idle_spin_ns = s.busy_spin_ns = *spin_ns;
  bind_from_environment(s);
  s.small_loops_alone = word_from<bool>("DOALL_SMALL_LOOPS", {{"alone", true}, {"shared", false}},
                                        "loops too small to gain run alone");
  enum class unnamed { compiled, by_auto, frozen };
  const unnamed loops =
      word_from<unnamed>("DOALL_DEFAULT_SCHEDULE",
                         {{"compiled", unnamed::compiled},
                          {"auto", unnamed::by_auto},
                          {"auto,frozen", unnamed::frozen}},
                         "loops for which the program names no schedule run as it was compiled");
  s.unnamed_by_auto = loops != unnamed::compiled;
  s.unnamed_frozen = loops == unnamed::frozen;
  s.barrier =
      word_from<barrier_form>("DOALL_BARRIER",
                              {{"auto", barrier_form::best},
                               {"centralized", barrier_form::centralized},
                               {"tree", barrier_form::tree},
                               {"full", barrier_form::full}},
                              "small teams are led by one worker, larger ones along a tree");
  s.oversubscribe = word_from<bool>("DOALL_OVERSUBSCRIBE", {{"false", false}, {"true", true}},
                                    "native loops have at most one worker a CPU");
  s.stack_bytes = stack_from_environment();
  topology::report_bad_domains();
  return s;
}

// Held to write the steering schedule.
constinit base::lone_mutex writing;
[[maybe_unused]] const int writing_is_free = base::free_in_children<writing>();

// The steering schedule, for loops that name none. Every such loop reads it, so only writers take
// the lock; readers see a version that is not freed.
struct steering {
  std::forward_list<schedules::spec> kept;
  sync::atomic<const schedules::spec*> current{nullptr};

  steering() {
    const auto text = base::env_text("DOALL_SCHEDULE");
    if (!text) return;
    const schedules::parse_result parsed = schedules::parse(*text);
    if (parsed) {
      publish(parsed.value);
    } else {
      base::warn_once("DOALL_SCHEDULE is ignored: " + parsed.error +
                      "; each loop's own schedule is used");
    }
  }

  void publish(const schedules::spec& s) {
    // Programs rarely set a schedule: each distinct one is kept, so that a reader may go on with an
    // old one.
    auto found = std::ranges::find(kept, s);
    if (found == kept.end()) found = kept.insert_after(kept.before_begin(), s);
    // (1) release; pairs with (2): publishes the parsed schedule
    current.store(&*found, sync::release);
  }
};

constinit base::lazy<settings> the_environment;
constinit base::lazy<steering> lazy_steering;
const base::at_unload free_both([] {
  the_environment.drop();
  lazy_steering.drop();
});

steering& the_steering() {
  return lazy_steering.get([] { return steering(); });
}

}  // namespace

const settings& environment() { return the_environment.get(read_environment); }

std::uint64_t stack_bytes() {
  // (7) relaxed; alone: a number
  const std::uint64_t set = stack_by_program.load(sync::relaxed);
  return set != 0 ? set : environment().stack_bytes;
}

void set_stack_bytes(std::uint64_t bytes) {
  // (8) relaxed; alone: as (7)
  stack_by_program.store(bytes, sync::relaxed);
}

schedules::spec steering_schedule() {
  // (2) acquire; pairs with (1): the schedule it points to is whole
  const schedules::spec* s = the_steering().current.load(sync::acquire);
  return s == nullptr ? schedules::spec{} : *s;
}

bool is_steered() {
  // (5) relaxed; alone: reads whether there is one, not which
  return the_steering().current.load(sync::relaxed) != nullptr;
}

std::string set_steering_schedule(const char* text) {
  if (text == nullptr) return "no schedule given, expected a text like \"guided,4\"";
  steering& s = the_steering();
  if (*text == '\0') {
    // (6) relaxed; alone: there is nothing to be published
    s.current.store(nullptr, sync::relaxed);
    return {};
  }
  const schedules::parse_result parsed = schedules::parse(text);
  if (!parsed) return parsed.error;
  const std::lock_guard hold(writing);
  s.publish(parsed.value);
  return {};
}

}  // namespace doall::team
