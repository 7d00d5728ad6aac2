// The workers' NUMA domains, as far as a team's tree needs them: the worker numbers at which
// another domain begins.
//
// Workers are numbered in the order in which they are pinned (topology.hpp); if there are more
// workers than CPUs, they begin again at the first. So a domain is a run of consecutive numbers. If
// hardware threads of a core come last, the first domain comes again after the last one: that is a
// run, and a start, of its own.
//
// Most machines have one domain, and their programs should pay nothing for the others: one small
// file of the kernel's tells, and hwloc is loaded only if it names more than one node (topology.hpp
// says what that costs). Packages do not count then: a virtual machine often claims one for each
// CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doall::topology {

class hwloc_tree;

// The first worker of each domain, of workers 0 to `workers` - 1, in increasing order, the first of
// them 0; empty for no workers. For this machine, and the calling thread's affinity mask at the
// first call: call it before the thread is pinned.
//
// DOALL_DOMAINS=4,4 says instead how many workers each domain has: for tests, and for machines that
// describe themselves wrongly. A value that is no list of whole numbers from 1 warns, and the
// machine's own domains are used.
// Any thread. O(workers).
std::vector<std::uint32_t> domain_starts(std::uint32_t workers);

// Warns of a bad DOALL_DOMAINS, of which a process with one thread would hear nothing: it asks for
// no domains.
void report_bad_domains();

// The allowed CPUs of the worker's domain, in pin order: those on which the workers of its domain
// would be pinned. Empty when there is but one domain. Any thread that is not pinned. O(CPUs).
std::vector<int> cpus_beside(std::uint32_t worker);

// The rule behind that; `order`: the CPUs in pin order, `domains` as below.
std::vector<int> cpus_in_domain_of(std::uint32_t worker, std::span<const unsigned> domains,
                                   std::span<const int> order);

// The domains of workers on these CPUs, one after the other, as domain_starts() has them: those of
// DOALL_DOMAINS, else this machine's; empty when there is but one.
std::vector<unsigned> domains_of(std::span<const int> cpus);

// The rule behind domain_starts(). `domains`: the domains of the CPUs in pin order, as any numbers
// that tell them apart; empty when there is but one.
std::vector<std::uint32_t> starts_of(std::span<const unsigned> domains, std::uint32_t workers);

// The domains of a machine's CPUs, given in pin order: their NUMA nodes, or their packages if all
// memory is one node.
std::vector<unsigned> domains_on(const hwloc_tree& tree, std::span<const int> cpus);

// "4,4" as 0,0,0,0,1,1,1,1; nothing when it is no such list.
std::optional<std::vector<unsigned>> domains_from_counts(std::string_view text);

// Whether the kernel says that all CPUs belong to one NUMA node, or nothing about nodes.
// `root` is put before /sys: tests give a folder that plays the file system.
bool has_one_domain(const std::string& root = "");

}  // namespace doall::topology
