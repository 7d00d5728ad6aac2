#include "team/settings.hpp"

#include <algorithm>
#include <mutex>

#include "base/env.hpp"
#include "base/sync.hpp"
#include "topology/topology.hpp"

namespace doall::team {
namespace {

// "4" or "4,2,1": the outermost level's team size is the first number.
std::optional<std::uint32_t> threads_from(const char* name, std::uint32_t otherwise) {
  const auto text = base::env_text(name);
  if (!text) return std::nullopt;
  std::string_view first = std::string_view(*text).substr(0, text->find(','));
  while (first.ends_with(' ')) first.remove_suffix(1);
  const auto value = base::parse_number(first, 1, most_workers);
  if (!value) {
    base::warn(std::string(name) + "=\"" + *text +
               "\" is ignored: expected a whole number from 1 to " + std::to_string(most_workers) +
               "; " + std::to_string(otherwise) + " is used");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*value);
}

// DOALL_SPIN_NS over OMP_WAIT_POLICY; nothing when neither says anything.
std::optional<std::uint64_t> spin_from_environment() {
  std::optional<std::uint64_t> by_policy_ns;
  if (const auto policy = base::env_text("OMP_WAIT_POLICY")) {
    if (base::same_word(*policy, "active")) {
      by_policy_ns = 10'000'000'000;
    } else if (base::same_word(*policy, "passive")) {
      by_policy_ns = 0;
    } else {
      base::warn("OMP_WAIT_POLICY=\"" + *policy +
                 "\" is ignored: expected active or passive; waiting threads spin for a few "
                 "milliseconds at most, then sleep");
    }
  }
  const auto given = base::env_number("DOALL_SPIN_NS", 0, 1'000'000'000'000,
                                      by_policy_ns ? std::to_string(*by_policy_ns) : "the default");
  return given ? given : by_policy_ns;
}

bool small_loops_alone_from_environment() {
  const auto text = base::env_text("DOALL_SMALL_LOOPS");
  if (!text || base::same_word(*text, "alone")) return true;
  if (base::same_word(*text, "shared")) return false;
  base::warn("DOALL_SMALL_LOOPS=\"" + *text +
             "\" is ignored: expected alone or shared; loops too small to gain run alone");
  return true;
}

bool pinned_from_environment() {
  const auto bind = base::env_text("OMP_PROC_BIND");
  return bind && !bind->empty() && !base::same_word(*bind, "false");
}

// "64M", "512 k", "8192" (KiB when there is no unit), "1G", "4096B".
std::uint64_t stack_from_environment() {
  const auto text = base::env_text("OMP_STACKSIZE");
  if (!text) return 0;
  std::string_view number = *text;
  std::uint64_t unit = 1024;
  if (!number.empty() && std::isalpha(static_cast<unsigned char>(number.back()))) {
    switch (std::tolower(static_cast<unsigned char>(number.back()))) {
      case 'b': unit = 1; break;
      case 'k': unit = 1024; break;
      case 'm': unit = std::uint64_t{1} << 20; break;
      case 'g': unit = std::uint64_t{1} << 30; break;
      default: unit = 0;
    }
    number.remove_suffix(1);
    while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
  }
  const auto value = base::parse_number(number, 1, std::uint64_t{1} << 32);
  if (!value || unit == 0) {
    base::warn(
        "OMP_STACKSIZE=\"" + *text +
        "\" is ignored: expected a whole number and B, K, M or G; the system's default is used");
    return 0;
  }
  return *value * unit;
}

settings read_environment() {
  settings s;
  const topology::thread_count found = topology::default_thread_count();
  s.threads = std::min(found.value, most_workers);
  s.threads_why = found.why;
  s.cpus = found.value;
  // The more particular variable wins; both are checked, so that a bad value is
  // named wherever it stands.
  for (const char* name : {"OMP_NUM_THREADS", "DOALL_NUM_THREADS"}) {
    if (const auto value = threads_from(name, s.threads)) {
      s.threads = *value;
      s.threads_why = name;
    }
  }
  if (const auto spin_ns = spin_from_environment()) s.idle_spin_ns = s.busy_spin_ns = *spin_ns;
  s.pinned = pinned_from_environment();
  s.small_loops_alone = small_loops_alone_from_environment();
  s.stack_bytes = stack_from_environment();
  return s;
}

// What steers the loops that name no schedule. Read for every such loop, so
// the lock is taken only by writers; readers see a version that is never freed.
struct steering {
  std::mutex writing;
  sync::atomic<const schedules::spec*> current{nullptr};

  steering() {
    const auto text = base::env_text("DOALL_SCHEDULE");
    if (!text) return;
    const schedules::parse_result parsed = schedules::parse(*text);
    if (parsed) {
      publish(parsed.value);
    } else {
      base::warn("DOALL_SCHEDULE is ignored: " + parsed.error +
                 "; each loop's own schedule is used");
    }
  }

  void publish(const schedules::spec& s) {
    // Setting a schedule is rare and the program's own doing: each distinct one
    // is kept, so that a reader may go on with an old one.
    static auto& kept = *new std::vector<const schedules::spec*>;
    const schedules::spec* found = nullptr;
    for (const auto* k : kept) {
      if (schedules::to_text(*k) == schedules::to_text(s)) found = k;
    }
    if (found == nullptr) kept.push_back(found = new schedules::spec(s));
    // (1) release; pairs with (2): publishes the parsed schedule
    current.store(found, sync::release);
  }
};

steering& the_steering() {
  static steering& s = *new steering;
  return s;
}

}  // namespace

const settings& environment() {
  static const settings& s = *new settings(read_environment());
  return s;
}

schedules::spec steering_schedule() {
  // (2) acquire; pairs with (1): the schedule it points to is whole
  const schedules::spec* s = the_steering().current.load(sync::acquire);
  return s == nullptr ? schedules::spec{} : *s;
}

void warn_of_missing_costs(const schedules::spec& how) {
  static sync::atomic<bool> said{false};
  // (3) relaxed; alone: a flag; nothing else is communicated
  if (!how.which->has(schedules::uses_costs) || said.load(sync::relaxed)) return;
  // (4) relaxed; alone: as (3)
  if (said.exchange(true, sync::relaxed)) return;
  base::warn("schedule \"" + schedules::to_text(how) +
             "\" goes by what iterations cost, and a loop without costs was started: such "
             "loops are dealt as if all iterations cost the same");
}

std::string set_steering_schedule(const char* text) {
  if (text == nullptr) return "no schedule given, expected a text like \"guided,4\"";
  const schedules::parse_result parsed = schedules::parse(text);
  if (!parsed) return parsed.error;
  steering& s = the_steering();
  const std::lock_guard hold(s.writing);
  s.publish(parsed.value);
  return {};
}

}  // namespace doall::team
