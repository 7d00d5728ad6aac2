#include "topology/topology.hpp"

#include <link.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "base/find_symbol.hpp"
#include "base/own_cpus.hpp"
#include "topology/cpus_at_load.hpp"
#include "topology/hw_subset.hpp"
#include "topology/hwloc_tree.hpp"

namespace doall::topology {
namespace {

void add_caches(std::vector<cache>& to, const hwloc_tree& tree, hwloc_obj_type_t type) {
  for (const hwloc_obj_t object : tree.all(type)) {
    const unsigned level = object->attr->cache.depth;
    const std::uint64_t bytes = object->attr->cache.size;
    const auto shared_by = static_cast<unsigned>(cpus_of(object).size());
    const auto same = std::ranges::find_if(to, [&](const cache& c) {
      return c.level == level && c.bytes == bytes && c.shared_by == shared_by;
    });
    if (same != to.end()) {
      ++same->count;
    } else {
      to.push_back({level, bytes, 1, shared_by});
    }
  }
}

std::string in_words(std::size_t cpus, const char* where) {
  return std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs") + " in " + where;
}

std::vector<int> cpus_in(const cpu_set_t* mask, std::size_t bytes) {
  std::vector<int> cpus;
  const auto count = static_cast<std::size_t>(CPU_COUNT_S(bytes, mask));
  cpus.reserve(count);
  for (std::size_t cpu = 0; cpus.size() < count; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, mask)) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

constinit cpu_mask at_load{};

// Before the constructors of the libraries that need this one, which may ask for the CPUs. If this
// is the first library, what is preloaded has not noted anything yet.
[[gnu::constructor]] void note_at_load() {
  const auto* const earlier = static_cast<const cpu_mask*>(base::find_symbol(name_of_mask));
  if (earlier != nullptr && earlier->bytes != 0)
    at_load = *earlier;
  else
    note_cpus(at_load);
}

// Whether a libgomp is in the process; doall's own folder has the name, too.
bool has_libgomp() {
  const auto look = [](dl_phdr_info* module, std::size_t, void*) {
    const std::string_view path = module->dlpi_name;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file.starts_with("libgomp") && path.find("/doall/omp/") == path.npos ? 1 : 0;
  };
  return dl_iterate_phdr(look, nullptr) != 0;
}

}  // namespace

std::vector<int> cpus_of_process() {
  std::vector<int> now = allowed_cpus();
  if (at_load.bytes == 0 || !are_bound()) return now;
  std::vector<int> before =
      cpus_in(reinterpret_cast<const cpu_set_t*>(at_load.words), at_load.bytes);
  const bool fewer = now.size() < before.size() && std::ranges::includes(before, now);
  return fewer && has_libgomp() ? before : now;
}

std::vector<int> allowed_cpus() {
  base::own_cpus all;
  if (!all.read()) return {};
  return cpus_in(all.sets.data(), sizeof all.sets);
}

thread_count thread_count_for(std::size_t cpus, const std::optional<cpu_quota>& quota,
                              const char* where) {
  const std::size_t usable = std::max<std::size_t>(cpus, 1);
  thread_count result{static_cast<std::uint32_t>(usable), {}};
  if (cpus == 0) {
    result.why = "the affinity mask cannot be read";
    return result;
  }
  if (!quota) {
    result.why = in_words(cpus, where) + ", no CPU quota";
    return result;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", quota->cpus);
  const std::string granted = std::string("CPU quota of ") + text + " in " + quota->source;
  const double whole = std::max(std::ceil(quota->cpus), 1.0);
  if (whole < static_cast<double>(usable)) {
    result.value = static_cast<std::uint32_t>(whole);
    result.why = granted + ", rounded up; " + in_words(cpus, where);
  } else {
    result.why = in_words(cpus, where) + "; " + granted + " allows them";
  }
  return result;
}

thread_count default_thread_count(const std::string& root) {
  return thread_count_for(usable_cpus().size(), read_cpu_quota(root),
                          has_hw_subset() ? "KMP_HW_SUBSET" : "the affinity mask");
}

std::vector<int> pin_order() { return pin_order_on(hwloc_tree::of_this_machine(), usable_cpus()); }

machine describe_machine() {
  const hwloc_tree& tree = hwloc_tree::of_this_machine();
  const auto count = [&](hwloc_obj_type_t type) {
    return static_cast<unsigned>(tree.all(type).size());
  };
  machine found;
  found.packages = count(HWLOC_OBJ_PACKAGE);
  found.numa_domains = count(HWLOC_OBJ_NUMANODE);
  found.cores = count(HWLOC_OBJ_CORE);
  found.processing_units = count(HWLOC_OBJ_PU);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                      HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    add_caches(found.caches, tree, type);
  }
  found.hwloc_version = HWLOC_VERSION;
  return found;
}

}  // namespace doall::topology
