#include "topology/domains.hpp"

#include <algorithm>
#include <functional>

#include "base/env.hpp"
#include "base/file_text.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/topology.hpp"

namespace doall::topology {
namespace {

// The most workers that a team may have: a list for more is a mistake.
constexpr std::size_t workers_max = 1024;

const hwloc_obj* object_of(const std::vector<hwloc_obj_t>& among, int cpu) {
  const auto holds = [cpu](const hwloc_obj* o) {
    return std::ranges::binary_search(cpus_of(o), cpu);
  };
  const auto found = std::ranges::find_if(among, holds);
  return found == among.end() ? nullptr : *found;
}

// Of DOALL_DOMAINS; nothing if it is not set, or wrong.
std::optional<std::vector<unsigned>> given_domains() {
  if (const auto text = base::env_text("DOALL_DOMAINS")) {
    if (auto given = domains_from_counts(*text)) return given;
    base::warn_once("DOALL_DOMAINS=\"" + *text +
                    "\" is ignored: expected numbers of workers between commas, such as 4,4, that "
                    "come to at most " +
                    std::to_string(workers_max) + "; the machine's NUMA domains are used");
  }
  return std::nullopt;
}

bool has_several(const std::vector<unsigned>& domains) {
  return std::ranges::adjacent_find(domains, std::ranges::not_equal_to{}) != domains.end();
}

std::vector<unsigned> read_domains() {
  if (auto given = given_domains()) return *given;
  if (has_one_domain()) return {};
  return domains_on(hwloc_tree::of_this_machine(), pin_order());
}

constinit base::lazy<std::vector<unsigned>> domains_here;
constinit base::lazy<std::vector<int>> order_here;
const base::at_unload forget_domains([] {
  domains_here.drop();
  order_here.drop();
});

}  // namespace

void report_bad_domains() { given_domains(); }

std::vector<unsigned> domains_of(std::span<const int> cpus) {
  if (auto given = given_domains()) return *given;
  if (has_one_domain()) return {};
  return domains_on(hwloc_tree::of_this_machine(), cpus);
}

std::vector<std::uint32_t> domain_starts(std::uint32_t workers) {
  const std::vector<unsigned>& domains = domains_here.get(read_domains);
  // For cpus_beside(): workers that start must not wait for the dynamic linker, which opens hwloc.
  // Their leader may be in a library's constructor.
  if (has_several(domains)) order_here.get(pin_order);
  return starts_of(domains, workers);
}

std::vector<int> cpus_beside(std::uint32_t worker) {
  const std::vector<unsigned>& domains = domains_here.get(read_domains);
  if (!has_several(domains)) return {};
  return cpus_in_domain_of(worker, domains, order_here.get(pin_order));
}

std::vector<int> cpus_in_domain_of(std::uint32_t worker, std::span<const unsigned> domains,
                                   std::span<const int> order) {
  std::vector<int> found;
  if (domains.empty() || order.empty()) return found;
  const unsigned its = domains[worker % domains.size()];
  for (std::size_t i = 0; i < std::max(domains.size(), order.size()); ++i) {
    const int cpu = order[i % order.size()];
    if (domains[i % domains.size()] == its && std::ranges::find(found, cpu) == found.end()) {
      found.push_back(cpu);
    }
  }
  return found;
}

std::vector<std::uint32_t> starts_of(std::span<const unsigned> domains, std::uint32_t workers) {
  std::vector<std::uint32_t> starts;
  if (workers != 0) starts.push_back(0);
  if (domains.empty()) return starts;
  for (std::uint32_t w = 1; w < workers; ++w) {
    if (domains[w % domains.size()] != domains[(w - 1) % domains.size()]) starts.push_back(w);
  }
  return starts;
}

std::vector<unsigned> domains_on(const hwloc_tree& tree, std::span<const int> cpus) {
  std::vector<hwloc_obj_t> domains = tree.all(HWLOC_OBJ_NUMANODE);
  if (domains.size() <= 1) domains = tree.all(HWLOC_OBJ_PACKAGE);
  std::vector<unsigned> found;
  found.reserve(cpus.size());
  for (const int cpu : cpus) {
    // Two kinds of memory may be near the same CPUs: the first node stands for them.
    const hwloc_obj* domain = object_of(domains, cpu);
    // A CPU that hwloc does not know is taken for a neighbour of the one before.
    const unsigned before = found.empty() ? 0 : found.back();
    found.push_back(domain != nullptr ? domain->logical_index : before);
  }
  return found;
}

std::optional<std::vector<unsigned>> domains_from_counts(std::string_view text) {
  std::vector<unsigned> domains;
  for (unsigned domain = 0;; ++domain) {
    const auto comma = text.find(',');
    const auto count = base::parse_number(text.substr(0, comma), 1, workers_max - domains.size());
    if (!count) return std::nullopt;
    domains.insert(domains.end(), *count, domain);
    if (comma == std::string_view::npos) return domains;
    text.remove_prefix(comma + 1);
  }
}

bool has_one_domain(const std::string& root) {
  // Nodes with memory alone are no domains; kernels before 3.8 do not tell them apart.
  for (const char* file : {"has_cpu", "online"}) {
    const std::string nodes =
        base::contents(root + "/sys/devices/system/node/" + file).value_or("");
    if (!nodes.empty()) return nodes.find_first_of(",-") == std::string::npos;
  }
  return true;
}

}  // namespace doall::topology
