#include "omp/icv.hpp"

#include <strings.h>

#include <algorithm>
#include <optional>

#include "base/env.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "omp/allocator_setting.hpp"

namespace doall::omp {
namespace {

constexpr std::uint32_t int_max = 0x7fffffff;

constexpr choice booleans[] = {{"false", 0}, {"true", 1}};
constexpr choice binds[] = {{"false", 0},  {"true", 1},  {"primary", 2},
                            {"master", 2}, {"close", 3}, {"spread", 4}};
constexpr choice offloads[] = {{"default", 0}, {"mandatory", 1}, {"disabled", 2}};
// The parts between commas, without blanks around them: one more than there are commas.
std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  for (;;) {
    const auto comma = list.find(',');
    items.push_back(base::trim(list.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    list.remove_prefix(comma + 1);
  }
}

void reject(const char* name, std::string_view text, std::string_view expected,
            std::string_view instead) {
  base::warn_once(std::string(name) + "=\"" + std::string(text) + "\" is ignored: expected " +
                  std::string(expected) + "; " + std::string(instead) + " is used");
}

// "a, b or c"
std::string words_of(std::span<const choice> among) {
  std::string words;
  for (std::size_t i = 0; i < among.size(); ++i) {
    if (i != 0) words += i + 1 == among.size() ? " or " : ", ";
    words += among[i].word;
  }
  return words;
}

std::uint32_t env_choice(const char* name, std::span<const choice> among) {
  const std::uint32_t usual = among.front().value;
  const auto text = base::env_text(name);
  if (!text) return usual;
  const choice* found = find_choice(among, *text);
  if (found != nullptr) return found->value;
  reject(name, *text, words_of(among), among.front().word);
  return usual;
}

bool env_bool(const char* name) { return env_choice(name, booleans) != 0; }

std::uint32_t env_int(const char* name, std::uint32_t least, std::uint32_t otherwise,
                      std::string_view otherwise_text) {
  return static_cast<std::uint32_t>(
      base::env_number(name, least, int_max, otherwise_text).value_or(otherwise));
}

// "spread" or "spread,close": one word for each level.
std::vector<std::uint32_t> binds_from_environment() {
  const auto text = base::env_text("OMP_PROC_BIND");
  if (!text) return {team::environment().pinned ? 1U : 0U};  // places bind, too
  std::vector<std::uint32_t> levels;
  const auto items = items_of(*text);
  bool known = true;
  for (const std::string_view item : items) {
    const choice* bind = find_choice(binds, item);
    // false and true are for all levels together.
    known = known && bind != nullptr && (items.size() == 1 || bind->value > 1);
    levels.push_back(known ? bind->value : 0);
  }
  if (known) return levels;
  const bool pinned = team::environment().pinned;
  reject("OMP_PROC_BIND", *text, words_of(binds), pinned ? "true" : "false");
  return {pinned ? 1U : 0U};
}

std::uint32_t levels_from_environment(bool lists) {
  const bool nests = base::env_text("OMP_NESTED") ? env_bool("OMP_NESTED") : lists;
  const std::uint32_t usual = nests ? supported_active_levels : 1;
  return std::min(env_int("OMP_MAX_ACTIVE_LEVELS", 0, usual, std::to_string(usual)),
                  supported_active_levels);
}

// With "2,20" the program asks for 40 workers in its nest.
std::uint32_t workers_for(std::span<const std::uint32_t> threads_by_level) {
  std::uint64_t listed = team::environment().threads;
  for (std::size_t level = 1; level < threads_by_level.size(); ++level) {
    listed = std::min<std::uint64_t>(listed * threads_by_level[level], team::most_workers);
  }
  return std::max(team::environment().cpus, static_cast<std::uint32_t>(listed));
}

void schedule_from_environment(icvs& v) {
  v.run_schedule = {&schedules::for_runtime_loops(), {}};
  // Not named: through LLVM's door such loops stay static. Clang's code for a conditional
  // lastprivate is wrong unless chunks are monotonic, and says nothing of it.
  if (team::environment().unnamed_by_auto) v.run_schedule = {&auto_schedule(), {}};
  if (team::environment().unnamed_frozen) v.run_schedule.given = schedules::frozen_choices();
  const auto text = base::env_text("OMP_SCHEDULE");
  if (!text) return;
  const std::string error = set_schedule_by_text(v, *text);
  if (error.empty()) return;
  base::warn_once("OMP_SCHEDULE=\"" + *text + "\" is ignored: " + error + "; " +
                  schedules::to_text(v.run_schedule) + " is used");
}

// LLVM's variable, in the words that its runtime knows.
bool throttles_tasks_by_environment() {
  constexpr choice words[] = {{"true", 1},  {"1", 1}, {"yes", 1}, {"on", 1},
                              {"false", 0}, {"0", 0}, {"no", 0},  {"off", 0}};
  return env_choice("KMP_ENABLE_TASK_THROTTLING", words) != 0;
}

process_icvs read_environment() {
  process_icvs p;
  icvs& v = p.first_task;
  v.threads = team::environment().threads;
  p.threads_by_level = {.numbers = team::environment().threads_by_level};
  p.binds_by_level = binds_from_environment();
  p.lists_levels = !p.threads_by_level.numbers.empty() || p.binds_by_level.size() > 1;
  p.workers = workers_for(p.threads_by_level.numbers);
  v.max_active_levels = levels_from_environment(p.lists_levels);
  if (const auto library = base::env_text("KMP_LIBRARY");
      library && base::same_word(*library, "serial"))
    v.max_active_levels = 0;
  v.thread_limit = env_int("OMP_THREAD_LIMIT", 1, v.thread_limit, "no limit");
  v.default_device = static_cast<std::int32_t>(env_int("OMP_DEFAULT_DEVICE", 0, 0, "0"));
  v.place = p.binds_by_level.front();
  v.dynamic = env_bool("OMP_DYNAMIC");
  schedule_from_environment(v);
  p.max_task_priority = env_int("OMP_MAX_TASK_PRIORITY", 0, 0, "0");
  p.throttles_tasks = throttles_tasks_by_environment();
  p.cancellation = env_bool("OMP_CANCELLATION");
  p.teams = env_int("OMP_NUM_TEAMS", 1, 0, "no limit");
  p.teams_thread_limit = env_int("OMP_TEAMS_THREAD_LIMIT", 1, 0, "no limit");
  v.allocator = allocator_from_environment();
  p.target_offload = env_choice("OMP_TARGET_OFFLOAD", offloads);
  // OpenMP 5.2: where no device but the host is there, mandatory leaves none to offload to.
  constexpr std::uint32_t mandatory = 1;
  constexpr std::int32_t invalid_device = -4;
  if (p.target_offload == mandatory) v.default_device = invalid_device;
  p.places = team::environment().places;
  p.shows_affinity = env_bool("OMP_DISPLAY_AFFINITY");
  p.takes_places = p.shows_affinity || team::environment().pinned;
  if (const auto format = base::env_text("OMP_AFFINITY_FORMAT")) p.affinity_format = *format;
  limits_of_tasks.set(
      {static_cast<std::int32_t>(p.max_task_priority), p.cancellation, p.throttles_tasks});
  return p;
}

constinit base::lazy<process_icvs> all_of_process;
const base::at_unload forget_process([] { all_of_process.drop(); });

}  // namespace

const choice* find_choice(std::span<const choice> among, std::string_view word) {
  const auto found =
      std::ranges::find_if(among, [&](const choice& c) { return base::same_word(c.word, word); });
  return found == among.end() ? nullptr : &*found;
}

std::span<const choice> bind_words() { return binds; }
std::span<const choice> offload_words() { return offloads; }

const process_icvs& process() { return all_of_process.get(read_environment); }

icvs at_level(icvs v, std::uint32_t level, const thread_list* list, std::uint32_t bind) {
  const process_icvs& p = process();
  if (list == nullptr) list = &p.threads_by_level;
  if (const std::uint32_t* threads = list->inside(level)) v.threads = *threads;
  if (level < p.binds_by_level.size()) {
    v.place = p.binds_by_level[level];
  } else if (bind != 0 && v.place != 0) {
    v.place = bind;
  }
  return v;
}

bool differ_by_level(const icvs& v, const thread_list* list, std::uint32_t bind) {
  return list != nullptr || (bind != 0 && v.place != 0) || process().lists_levels;
}

const icvs& initial_icvs() { return process().first_task; }

}  // namespace doall::omp
