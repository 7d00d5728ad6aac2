// OMP_DISPLAY_ENV and omp_display_env: the settings, in the standard's form.
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/env.hpp"
#include "omp/allocator_setting.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"

namespace doall::omp {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string word_of(std::span<const choice> among, std::uint32_t value) {
  return std::string(std::ranges::find(among, value, &choice::value)->word);
}

std::string truth(bool value) { return value ? "TRUE" : "FALSE"; }

// The elements between commas.
template <class List, class Text>
std::string list_of(const List& list, Text text) {
  std::string all;
  for (const auto& element : list) all += (all.empty() ? "" : ",") + text(element);
  return all;
}

std::string threads_text(const process_icvs& p) {
  const std::vector<std::uint32_t>& listed = p.threads_by_level.numbers;
  if (listed.empty()) return std::to_string(p.first_task.threads);
  return list_of(listed, [](std::uint32_t threads) { return std::to_string(threads); });
}

std::string binds_text(const process_icvs& p) {
  return list_of(p.binds_by_level,
                 [](std::uint32_t bind) { return upper(word_of(bind_words(), bind)); });
}

std::string places_text(const process_icvs& p) {
  return list_of(p.places, [](const topology::place& cpus) {
    return "{" + list_of(cpus, [](int cpu) { return std::to_string(cpu); }) + "}";
  });
}

constexpr std::string_view of_all_devices[] = {
    "OMP_CANCELLATION",   "OMP_DEFAULT_DEVICE", "OMP_DISPLAY_AFFINITY", "OMP_MAX_TASK_PRIORITY",
    "OMP_TARGET_OFFLOAD", "OMP_TOOL",           "OMP_TOOL_LIBRARIES",   "OMP_TOOL_VERBOSE_INIT"};

class settings_text {
 public:
  // As the standard has it: what holds for all devices, or for this one.
  void add(const char* name, const std::string& value) {
    const bool of_all = std::ranges::count(of_all_devices, std::string_view(name)) != 0;
    text_ += std::string(of_all ? "  [all] " : "  [host] ") + name + " = '" + value + "'\n";
  }
  void add(const char* name, std::uint64_t value) { add(name, std::to_string(value)); }

  std::string text() const {
    return "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n" + text_ +
           "OPENMP DISPLAY ENVIRONMENT END\n";
  }

 private:
  std::string text_;
};

std::string describe(bool verbose) {
  const process_icvs& p = process();
  const icvs& v = p.first_task;
  const team::settings& team = team::environment();
  settings_text out;
  out.add("OMP_DYNAMIC", truth(v.dynamic));
  out.add("OMP_NESTED", truth(v.max_active_levels > 1));
  out.add("OMP_NUM_THREADS", threads_text(p));
  out.add("OMP_SCHEDULE", upper(schedule_as_text(v)));
  out.add("OMP_PROC_BIND", binds_text(p));
  out.add("OMP_PLACES", places_text(p));
  out.add("OMP_STACKSIZE", std::to_string(doall::team::stack_bytes()) + "B");
  out.add("OMP_WAIT_POLICY", team.idle_spin_ns > 0 ? "ACTIVE" : "PASSIVE");
  out.add("OMP_THREAD_LIMIT", v.thread_limit);
  out.add("OMP_MAX_ACTIVE_LEVELS", v.max_active_levels);
  out.add("OMP_NUM_TEAMS", p.teams);
  out.add("OMP_TEAMS_THREAD_LIMIT", p.teams_thread_limit);
  out.add("OMP_CANCELLATION", truth(process().cancellation));
  out.add("OMP_DEFAULT_DEVICE", std::to_string(v.default_device));
  out.add("OMP_MAX_TASK_PRIORITY", p.max_task_priority);
  out.add("OMP_DISPLAY_AFFINITY", truth(p.shows_affinity));
  out.add("OMP_AFFINITY_FORMAT", p.affinity_format);
  out.add("OMP_ALLOCATOR", allocator_text(v.allocator));
  out.add("OMP_TARGET_OFFLOAD", upper(word_of(offload_words(), p.target_offload)));
  const auto tool = base::env_text("OMP_TOOL");
  out.add("OMP_TOOL", tool && base::same_word(*tool, "disabled") ? "DISABLED" : "ENABLED");
  out.add("OMP_TOOL_LIBRARIES", base::env_text("OMP_TOOL_LIBRARIES").value_or(""));
  out.add("OMP_TOOL_VERBOSE_INIT", base::env_text("OMP_TOOL_VERBOSE_INIT").value_or("DISABLED"));
  if (verbose) {
    const schedules::spec steering = team::steering_schedule();
    out.add("DOALL_SCHEDULE", steering.which == nullptr ? "" : schedules::to_text(steering));
    out.add("DOALL_NUM_THREADS", team.threads);
    out.add("DOALL_SPIN_NS", team.idle_spin_ns);
    out.add("GOMP_CPU_AFFINITY", places_text(p));
    out.add("GOMP_STACKSIZE", std::to_string(doall::team::stack_bytes()) + "B");
    out.add("GOMP_SPINCOUNT", team.idle_spin_ns / 10);
  }
  return out.text();
}

// The standard prints it when the program starts, not at its first region.
__attribute__((constructor)) void display_at_load() {
  constexpr choice words[] = {{"false", 0}, {"true", 1}, {"verbose", 2}};
  const auto text = base::env_text("OMP_DISPLAY_ENV");
  if (!text) return;
  const choice* found = find_choice(words, *text);
  if (found == nullptr) {
    base::warn("OMP_DISPLAY_ENV=\"" + *text +
               "\" is ignored: expected false, true or verbose; false is used");
  } else if (found->value != 0) {
    omp_display_env(found->value == 2);
  }
}

}  // namespace
}  // namespace doall::omp

extern "C" void omp_display_env(int verbose) {
  const std::string text = doall::omp::describe(verbose != 0);
  // If standard error is gone, ignore it.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}
