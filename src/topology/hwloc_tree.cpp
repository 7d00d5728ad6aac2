#include "topology/hwloc_tree.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"

namespace doall::topology {
namespace {

// hwloc loads and frees a topology under a lock of its own, which a fork would leave held in the
// child: this lock is around it.
constinit base::lone_mutex in_hwloc;
[[maybe_unused]] const int in_hwloc_is_free = base::free_in_children<in_hwloc>();

constinit base::lazy<hwloc_tree> this_machine;
const base::at_unload forget_this_machine([] {
  this_machine.drop();
  forget_hwloc();
});

// The name under which hwloc keeps a core's type.
constexpr const char* type_info = "CoreType";

}  // namespace

const hwloc_tree& hwloc_tree::of_this_machine() {
  return this_machine.get([] { return hwloc_tree(); });
}

bool hwloc_tree::begin() {
  if (hwloc_ != nullptr && hwloc_->topology_init(&handle_) == 0) return true;
  handle_ = nullptr;
  return false;
}

hwloc_tree::hwloc_tree() {
  const std::lock_guard hold(in_hwloc);
  if (!begin()) return;
  hwloc_->topology_set_io_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_->topology_set_icache_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_->topology_set_type_filter(handle_, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  // Without the second flag hwloc would bind the calling thread, which is the program's, to one CPU
  // after the other to read each one's cpuid.
  hwloc_->topology_set_flags(
      handle_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  load();
}

hwloc_tree::hwloc_tree(const char* synthetic, const std::vector<core_kind>& kinds) {
  const std::lock_guard hold(in_hwloc);
  if (!begin()) return;
  if (hwloc_->topology_set_synthetic(handle_, synthetic) != 0) {
    hwloc_->topology_destroy(handle_);
    handle_ = nullptr;
    return;
  }
  load();
  for (const core_kind& kind : kinds) add(kind);
}

// Tells hwloc of a kind that the description has no words for.
void hwloc_tree::add(const core_kind& kind) {
  if (handle_ == nullptr) return;
  const hwloc_bitmap_t cpus = hwloc_->bitmap_alloc();
  for (const int cpu : kind.cpus) hwloc_->bitmap_set(cpus, static_cast<unsigned>(cpu));
  std::string name = type_info;
  std::string type = kind.type;
  hwloc_info_s info{name.data(), type.data()};
  hwloc_->cpukinds_register(handle_, cpus, kind.efficiency, type.empty() ? 0 : 1, &info, 0);
  hwloc_->bitmap_free(cpus);
}

void hwloc_tree::load() {
  if (hwloc_->topology_load(handle_) == 0) return;
  hwloc_->topology_destroy(handle_);
  handle_ = nullptr;
}

hwloc_tree::~hwloc_tree() {
  const std::lock_guard hold(in_hwloc);
  if (handle_ != nullptr) hwloc_->topology_destroy(handle_);
}

std::vector<hwloc_obj_t> hwloc_tree::all(hwloc_obj_type_t type) const {
  std::vector<hwloc_obj_t> found;
  if (handle_ == nullptr) return found;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_->get_next_obj_by_type(handle_, type, object)) != nullptr) {
    found.push_back(object);
  }
  return found;
}

std::optional<hwloc_obj_type_t> hwloc_tree::last_level_cache() const {
  for (const hwloc_obj_type_t level : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                                       HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
    if (!all(level).empty()) return level;
  }
  return std::nullopt;
}

std::vector<core_kind> hwloc_tree::core_kinds() const {
  std::vector<core_kind> kinds;
  const int count = handle_ == nullptr ? 0 : hwloc_->cpukinds_get_nr(handle_, 0);
  if (count < 2) return kinds;
  const hwloc_bitmap_t cpus = hwloc_->bitmap_alloc();
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    core_kind kind;
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (hwloc_->cpukinds_get_info(handle_, i, cpus, &kind.efficiency, &infos, &info, 0) != 0)
      continue;
    kind.cpus = cpus_of(cpus);
    for (unsigned at = 0; at < infos; ++at) {
      if (std::string_view(info[at].name) == type_info) kind.type = info[at].value;
    }
    kinds.push_back(std::move(kind));
  }
  hwloc_->bitmap_free(cpus);
  return kinds;
}

place cpus_of(hwloc_const_bitmap_t set) {
  place cpus;
  const hwloc_functions& hwloc = *hwloc_here();  // which has made the set
  for (int cpu = hwloc.bitmap_first(set); cpu >= 0; cpu = hwloc.bitmap_next(set, cpu)) {
    cpus.push_back(cpu);
  }
  return cpus;
}

void add_once(std::vector<place>& to, place cpus) {
  if (!cpus.empty() && std::ranges::find(to, cpus) == to.end()) to.push_back(std::move(cpus));
}

std::vector<int> pin_order_on(const hwloc_tree& tree, std::vector<int> allowed) {
  struct place {
    unsigned sibling;      // how many allowed hardware threads of its core come before it
    std::size_t position;  // in the tree
    int cpu;
    auto operator<=>(const place&) const = default;
  };
  std::vector<place> places;
  hwloc_obj_t last_core = nullptr;
  unsigned siblings = 0;
  for (const hwloc_obj_t unit : tree.all(HWLOC_OBJ_PU)) {
    hwloc_obj_t core = unit->parent;
    while (core != nullptr && core->type != HWLOC_OBJ_CORE) core = core->parent;
    if (core == nullptr) core = unit;  // where cores are unknown, each unit is one
    if (core != last_core) siblings = 0;
    last_core = core;
    const int cpu = static_cast<int>(unit->os_index);
    if (std::erase(allowed, cpu) != 0) places.push_back({siblings++, places.size(), cpu});
  }
  std::ranges::sort(places);

  std::vector<int> order;
  order.reserve(places.size());
  for (const place& p : places) order.push_back(p.cpu);
  // CPUs that the kernel allows and hwloc does not know, as when it was told to read another
  // machine's topology.
  order.insert(order.end(), allowed.begin(), allowed.end());
  return order;
}

}  // namespace doall::topology
