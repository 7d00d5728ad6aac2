#include "sites/choices.hpp"

#include <dlfcn.h>
#include <fcntl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/file_text.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/own_file.hpp"
#include "base/unload.hpp"
#include "observe/report_path.hpp"
#include "settings/settings.hpp"
#include "sites/choice_file.hpp"
#include "sites/site.hpp"
#include "sites/site_memory.hpp"

namespace doall::team {
namespace {

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Fields are separated by tabs: a name that has one is nobody's.
bool can_be_written(std::string_view text) {
  return text.find_first_of("\t\n") == std::string_view::npos;
}

// Where the site's code is, and what it tells of the source; nothing: not in a file.
std::optional<kept_site> place_of(const loop_site& site) {
  const site_key key = site.key();
  Dl_info found;
  if (dladdr(key.code, &found) == 0 || found.dli_fname == nullptr) return std::nullopt;
  kept_site at;
  at.module = found.dli_fname;
  at.offset = reinterpret_cast<std::uintptr_t>(key.code) -
              reinterpret_cast<std::uintptr_t>(found.dli_fbase);
  if (key.file != nullptr) at.file = key.file;
  at.line = key.line;
  if (!can_be_written(at.module) || !can_be_written(at.file)) return std::nullopt;
  return at;
}

// Not by the folder: a program may be moved.
using place = std::tuple<std::string, std::uint64_t, std::string, std::uint32_t>;
place place_in(const kept_site& s) {
  return {std::string(name_in(s.module)), s.offset, s.file, s.line};
}

std::map<place, kept_site> read_loaded() {
  const auto path = base::env_path(choices_file_variable);
  if (!path) return {};
  const auto ignored = [&](const std::string& why) {
    base::warn_once("DOALL_CHOICES_FILE=\"" + *path + "\" is ignored: " + why +
                    "; loops choose as usual");
    return std::map<place, kept_site>{};
  };
  const std::optional<std::string> text = base::contents(*path);
  if (!text) return ignored("expected a file that can be read");
  kept_choices all;
  try {
    all = read_choices(*text);
  } catch (const std::runtime_error& e) {
    return ignored(e.what());
  }
  const std::uint32_t threads = environment().threads;
  if (all.threads != threads) {
    base::warn_once("the loaded choices are ignored: they were made for " +
                    std::to_string(all.threads) + " threads, expected " + std::to_string(threads) +
                    "; loops choose as usual");
    return {};
  }
  std::map<place, kept_site> loaded;
  for (kept_site& s : all.sites) loaded.insert_or_assign(place_in(s), std::move(s));
  return loaded;
}

struct choice_table {
  std::string folder = base::env_path(choices_folder_variable).value_or("");
  std::map<place, kept_site> loaded = read_loaded();
  // Looked up when a site is met: at the end its module may have been unloaded.
  std::unordered_map<const loop_site*, kept_site> met;

  bool is_of_use() const { return !folder.empty() || !loaded.empty(); }

  const kept_site* find(const kept_site& at) const {
    const auto found = loaded.find(place_in(at));
    return found != loaded.end() ? &found->second : nullptr;
  }
};

constinit base::lazy<choice_table> lazy_table;
constinit base::lone_mutex met_lock;
[[maybe_unused]] const int met_lock_is_free = base::free_in_children<met_lock>();
const base::at_unload free_table([] { lazy_table.drop(); });

choice_table& the_table() {
  return lazy_table.get([] { return choice_table(); });
}

// The cuts that the site's memory says, behind what is known of the site.
void add_cuts(const loop_site& site, kept_site& to) {
  each_memory(site, [&](const schedules::spec& how, std::uint32_t workers, const void* memory) {
    if (how.run().read_cuts == nullptr) return;
    kept_cuts c{std::string(how.which->name), workers, std::vector<std::uint64_t>(workers - 1)};
    const schedules::block_cuts seen = how.run().read_cuts(memory, workers, c.begins.data());
    if (seen == schedules::block_cuts::unknown) return;
    if (seen == schedules::block_cuts::even) c.begins.clear();
    to.cuts.push_back(std::move(c));
  });
}

// And the loaded ones whose memory this run never asked for: all its executions may have been
// small.
void keep_cuts_of(const kept_site& loaded, kept_site& to) {
  for (const kept_cuts& c : loaded.cuts) {
    const bool is_there = std::ranges::any_of(to.cuts, [&](const kept_cuts& one) {
      return one.schedule == c.schedule && one.workers == c.workers;
    });
    if (!is_there) to.cuts.push_back(c);
  }
}

}  // namespace

void note_met(loop_site& site) {
  choice_table& t = the_table();
  if (!t.is_of_use() || site.is_crowd()) return;
  const std::optional<kept_site> at = place_of(site);
  if (!at) return;
  const kept_site* const found = t.find(*at);
  if (found != nullptr && found->iteration_ns > 0)
    site.cost.load(found->iteration_ns, found->burden_ns, found->inside);
  if (t.folder.empty()) return;
  const std::lock_guard hold(met_lock);
  t.met.emplace(&site, *at);
}

bool load_cuts(const loop_site& site, const schedules::spec& how, std::uint32_t workers,
               void* memory) {
  const choice_table& t = the_table();
  if (t.loaded.empty() || how.run().keep_cuts == nullptr) return false;
  const std::optional<kept_site> at = place_of(site);
  const kept_site* const found = at ? t.find(*at) : nullptr;
  if (found == nullptr) return false;
  for (const kept_cuts& c : found->cuts) {
    if (c.schedule != how.which->name || c.workers != workers) continue;
    how.run().keep_cuts(memory, workers, c.begins.empty() ? nullptr : c.begins.data());
    return true;
  }
  return false;
}

void write_choices_at_exit() {
  const choice_table* const made = lazy_table.if_made();
  if (made == nullptr || made->folder.empty()) return;  // no loop was met, or nobody asks
  const choice_table& t = *made;
  const std::uint32_t threads = environment().threads;
  std::vector<std::pair<const loop_site*, kept_site>> met;
  {
    const std::lock_guard hold(met_lock);
    met.assign(t.met.begin(), t.met.end());
  }
  kept_choices all{threads, {}};
  for (auto& [site, kept] : met) {
    const loop_cost& cost = site->cost;
    const kept_site* const loaded = t.find(kept);
    // Only what was compared with a burden has chosen.
    if (loaded != nullptr && cost.is_loaded()) {
      kept.iteration_ns = loaded->iteration_ns;
      kept.burden_ns = loaded->burden_ns;
      kept.inside = loaded->inside;
    } else if ((cost.settled() || cost.is_frozen()) && cost.burden_ns() > 0) {
      kept.iteration_ns = cost.serial_ns(1);
      const decide::site_times* const times = site->times_if_made();
      kept.burden_ns = cost.is_frozen() || times == nullptr
                           ? cost.burden_ns()
                           : times->break_even_ns(cost.burden_ns(), threads);
      kept.inside = cost.shape();
    }
    add_cuts(*site, kept);
    if (loaded != nullptr) keep_cuts_of(*loaded, kept);
    if (kept.iteration_ns > 0 || !kept.cuts.empty()) all.sites.push_back(std::move(kept));
  }
  if (all.sites.empty()) return;
  std::ranges::sort(all.sites, {}, &place_in);
  const std::string path = observe::new_file_in(t.folder, "choices");
  base::text_file out(base::open_own_file(path.c_str(), O_WRONLY));
  out.write(choices_text(all));
  if (!out.close()) base::warn("the choices of loops could not be written to " + path);
}

}  // namespace doall::team
