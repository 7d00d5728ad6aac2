#include "topology/hw_subset.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/text_reader.hpp"
#include "topology/topology.hpp"

namespace doall::topology {
namespace {

constexpr const char* variable = "KMP_HW_SUBSET";
constexpr const char* expected_subset =
    "expected numbers and layers such as 1s,4c,1t or 2n,4c@4, of s, n, d, ll, l3, l2, l1, c and "
    "t";
constexpr long most_units = 65536;  // units of a layer

// Layers of the same extent are in this order, outermost first.
enum class layer { socket, numa, die, last_cache, l3, l2, l1, core, thread };

struct layer_name {
  std::string_view letter;
  std::string_view word;  // of one unit
  layer which;
};
constexpr layer_name names[] = {{"s", "socket", layer::socket},
                                {"s", "package", layer::socket},
                                {"n", "numa_domain", layer::numa},
                                {"n", "node", layer::numa},
                                {"d", "die", layer::die},
                                {"l", "ll_cache", layer::last_cache},
                                {"ll", "ll_cache", layer::last_cache},
                                {"l3", "l3_cache", layer::l3},
                                {"l2", "l2_cache", layer::l2},
                                {"l1", "l1_cache", layer::l1},
                                {"c", "core", layer::core},
                                {"t", "thread", layer::thread}};

const layer_name* find_layer(std::string_view word) {
  const auto one = word.substr(0, word.size() - (word.size() > 2 && word.back() == 's' ? 1 : 0));
  const auto is_it = [&](const layer_name& n) {
    return base::same_word(word, n.letter) || base::same_word(one, n.word);
  };
  const auto* const found = std::ranges::find_if(names, is_it);
  return found == std::end(names) ? nullptr : found;
}

std::string word_of(layer which) {
  return std::string(std::ranges::find(names, which, &layer_name::which)->word);
}

struct item {
  std::optional<long> count;  // none: all
  long offset = 0;
  std::string attribute{};  // of cores; empty: any

  bool takes(long index) const { return index >= offset && (!count || index < offset + *count); }
};

struct selection {
  layer which;
  std::vector<item> items;  // several: cores of different kinds
  std::vector<place> units{};
};

std::vector<hwloc_obj_t> objects_of(layer which, const hwloc_tree& tree) {
  switch (which) {
    case layer::socket: return tree.all(HWLOC_OBJ_PACKAGE);
    case layer::numa: return tree.all(HWLOC_OBJ_NUMANODE);
    case layer::die: return tree.all(HWLOC_OBJ_DIE);
    case layer::last_cache:
      return tree.last_level_cache() ? tree.all(*tree.last_level_cache())
                                     : std::vector<hwloc_obj_t>();
    case layer::l3: return tree.all(HWLOC_OBJ_L3CACHE);
    case layer::l2: return tree.all(HWLOC_OBJ_L2CACHE);
    case layer::l1: return tree.all(HWLOC_OBJ_L1CACHE);
    case layer::core: return tree.all(HWLOC_OBJ_CORE);
    case layer::thread: return tree.all(HWLOC_OBJ_PU);
  }
  return {};
}

// A layer's units that have allowed CPUs, each once: two kinds of memory may be near the same CPUs.
std::vector<place> units_of(layer which, const hwloc_tree& tree, std::span<const int> allowed) {
  std::vector<place> units;
  for (const hwloc_obj_t object : objects_of(which, tree)) {
    place cpus = cpus_of(object);
    std::erase_if(cpus, [&](int cpu) { return std::ranges::find(allowed, cpu) == allowed.end(); });
    add_once(units, std::move(cpus));
  }
  // Where hwloc knows no sockets the machine is one, and where it knows no cores each thread is.
  if (units.empty() && which == layer::socket) units.emplace_back(allowed.begin(), allowed.end());
  if (units.empty() && which == layer::core) return units_of(layer::thread, tree, allowed);
  return units;
}

// The name of a kind of cores: eff0, eff1, ..., or what hwloc says, as LLVM spells it.
bool is_of(const core_kind& kind, std::string_view attribute) {
  if (base::same_word(attribute, "eff" + std::to_string(kind.efficiency))) return true;
  if (base::same_word(attribute, "intel_core")) return kind.type == "IntelCore";
  return base::same_word(attribute, "intel_atom") && kind.type == "IntelAtom";
}

bool is_efficiency(std::string_view word) {
  return word.size() > 3 && base::same_word(word.substr(0, 3), "eff") &&
         base::parse_number(word.substr(3), 0, most_units).has_value();
}

bool is_attribute(std::string_view word) {
  return is_efficiency(word) || base::same_word(word, "intel_core") ||
         base::same_word(word, "intel_atom");
}

// One item behind which nothing is taken; nothing if it is none.
std::optional<selection> take_item(text_reader& text) {
  item made;
  if (!text.take('*')) {
    const auto count = text.take_number();
    if (count && (*count < 1 || *count > most_units)) return std::nullopt;
    made.count = count;
  }
  const layer_name* const layer = find_layer(text.take_word(true));
  if (layer == nullptr) return std::nullopt;
  bool has_offset = false;
  for (;;) {
    if (!has_offset && text.take('@')) {
      const auto offset = text.take_number();
      if (!offset || *offset < 0 || *offset > most_units) return std::nullopt;
      made.offset = *offset;
      has_offset = true;
    } else if (made.attribute.empty() && text.take(':')) {
      made.attribute = text.take_word(true);
      if (layer->which != layer::core || !is_attribute(made.attribute)) return std::nullopt;
    } else {
      return selection{layer->which, {made}};
    }
  }
}

// Puts the item to those of its layer; false if they exclude each other.
bool add(std::vector<selection>& to, selection with) {
  const auto same = std::ranges::find(to, with.which, &selection::which);
  if (same == to.end()) {
    to.push_back(std::move(with));
    return true;
  }
  const std::string& its = with.items.front().attribute;
  for (const item& i : same->items) {
    if (i.attribute.empty() || its.empty() || base::same_word(i.attribute, its)) return false;
  }
  same->items.push_back(with.items.front());
  return true;
}

class selecting {
 public:
  selecting(std::vector<selection> layers, const hwloc_tree& tree, std::span<const int> allowed)
      : layers_(std::move(layers)),
        kinds_(tree.core_kinds()),
        all_(allowed.begin(), allowed.end()) {
    for (selection& s : layers_) s.units = units_of(s.which, tree, allowed);
  }

  hw_subset result() {
    for (const selection& s : layers_) {
      if (s.units.empty())
        return {{}, "expected layers that the machine has, not " + word_of(s.which)};
    }
    sort_layers();
    const std::string unknown = check_attributes();
    if (!unknown.empty()) return {{}, unknown};
    for (std::size_t at = 0; at < layers_.size(); ++at) {
      if (auto error = check_counts(at); !error.empty()) return {{}, std::move(error)};
    }
    hw_subset found{{}, {}, note_};
    select(0, all_, found.cpus);
    std::ranges::sort(found.cpus);
    if (found.cpus.empty()) found.error = "expected to leave a CPU";
    return found;
  }

 private:
  // Outermost first.
  void sort_layers() {
    const auto extent = [](const selection& s) {
      return std::ranges::max(s.units, {}, &place::size).size();
    };
    std::ranges::stable_sort(layers_, [&](const selection& a, const selection& b) {
      return extent(a) != extent(b) ? extent(a) > extent(b) : a.which < b.which;
    });
  }

  // An attribute alone has no effect where all cores are alike.
  std::string check_attributes() {
    for (selection& s : layers_) {
      for (item& i : s.items) {
        if (i.attribute.empty()) continue;
        if (is_efficiency(i.attribute) != is_efficiency(s.items.front().attribute)) {
          return "expected attributes of one sort, types or efficiencies of cores";
        }
        if (kinds_.empty() && s.items.size() > 1) {
          return "expected no attributes of cores, for all cores of this machine are alike";
        }
        if (kinds_.empty()) {
          note_ = "the attribute " + std::exchange(i.attribute, {}) +
                  " is ignored: expected a machine with cores of several kinds; any core counts";
        } else if (std::ranges::none_of(kinds_,
                                        [&](const auto& k) { return is_of(k, i.attribute); })) {
          return "expected attributes of cores that the machine has, not " + i.attribute;
        }
      }
    }
    return {};
  }

  // The units of a layer in a unit of the next outer one that an item counts.
  std::vector<const place*> counted(const selection& s, const item& i, const place& outer) const {
    std::vector<const place*> found;
    for (const place& unit : s.units) {
      if (!std::ranges::binary_search(outer, unit.front())) continue;
      if (i.attribute.empty() || has_kind(unit, i.attribute)) found.push_back(&unit);
    }
    return found;
  }

  bool has_kind(const place& core, std::string_view attribute) const {
    return std::ranges::any_of(kinds_, [&](const core_kind& k) {
      return is_of(k, attribute) && std::ranges::binary_search(k.cpus, core.front());
    });
  }

  std::string check_counts(std::size_t at) const {
    const selection& s = layers_[at];
    for (const item& i : s.items) {
      std::size_t there = 0;
      const std::vector<place> whole{all_};
      for (const place& outer : at == 0 ? whole : layers_[at - 1].units) {
        there = std::max(there, counted(s, i, outer).size());
      }
      if (static_cast<std::size_t>(i.offset + i.count.value_or(1)) <= there) continue;
      const std::string of = at == 0 ? "" : " in a " + word_of(layers_[at - 1].which);
      return "expected at most " + std::to_string(there) + " of " + word_of(s.which) +
             (i.attribute.empty() ? "" : ":" + i.attribute) + of + ", with the offset";
    }
    return {};
  }

  void select(std::size_t at, const place& outer, place& cpus) const {
    if (at == layers_.size()) {
      cpus.insert(cpus.end(), outer.begin(), outer.end());
      return;
    }
    for (const item& i : layers_[at].items) {
      const auto units = counted(layers_[at], i, outer);
      for (std::size_t u = 0; u < units.size(); ++u) {
        if (i.takes(static_cast<long>(u))) select(at + 1, *units[u], cpus);
      }
    }
  }

  std::vector<selection> layers_;
  std::vector<core_kind> kinds_;
  place all_;
  std::string note_;
};

// The CPUs of KMP_HW_SUBSET; none if it is not set, or wrong.
place read_environment() {
  const auto text = base::env_text(variable);
  if (!text) return {};
  const std::string value = std::string(variable) + "=\"" + *text + "\"";
  hw_subset read = read_hw_subset(*text, hwloc_tree::of_this_machine(), cpus_of_process());
  if (!read.error.empty()) {
    base::warn_once(value + " is ignored: " + read.error +
                    "; all CPUs of the affinity mask are used");
    return {};
  }
  if (!read.note.empty()) base::warn_once(value + ": " + read.note);
  return std::move(read.cpus);
}

constinit base::lazy<place> subset_here;
const base::at_unload forget_subset([] { subset_here.drop(); });

}  // namespace

hw_subset read_hw_subset(std::string_view text, const hwloc_tree& tree,
                         std::span<const int> allowed) {
  text_reader rest(text);
  const bool named_only = rest.take(':');
  std::vector<selection> layers;
  do {
    auto taken = take_item(rest);
    if (!taken) return {{}, expected_subset};
    const layer which = taken->which;
    if (!add(layers, std::move(*taken))) {
      return {{},
              "expected each layer once, or cores with attributes, not again " + word_of(which)};
    }
  } while (rest.take(',') || rest.take('&'));
  if (!rest.at_end()) return {{}, expected_subset};
  for (const layer usual : {layer::socket, layer::core, layer::thread}) {
    if (!named_only) add(layers, {usual, {item{}}});
  }
  return selecting(std::move(layers), tree, allowed).result();
}

place usable_cpus() {
  place allowed = cpus_of_process();
  const place& subset = subset_here.get(read_environment);
  if (subset.empty()) return allowed;
  std::erase_if(allowed, [&](int cpu) { return !std::ranges::binary_search(subset, cpu); });
  // A thread of the program that may run elsewhere alone is not the subset's.
  return allowed.empty() ? subset : allowed;
}

bool has_hw_subset() { return !subset_here.get(read_environment).empty(); }

}  // namespace doall::topology
