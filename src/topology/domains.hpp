// In which NUMA domain each worker is, as far as a team's tree needs to know: at
// which worker numbers another domain begins.
//
// Workers are numbered in the order in which they are pinned (topology.hpp), and more
// workers than CPUs begin again at the first. So a domain is a run of consecutive
// numbers. Where hardware threads of a core come last, the first domain comes again
// after the last one: that is a run, and a start, of its own.
//
// Most machines have one domain, and their programs are to pay nothing for the others:
// one small file of the kernel's tells, and only when it names more than one node is
// hwloc loaded (topology.hpp says what that costs). Packages are not asked for then: a
// virtual machine often claims one for each CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doall::topology {

class hwloc_tree;

// The workers of 0 to `workers` - 1 with which a domain begins, in increasing order, the
// first of them 0; empty for no workers. On this machine, for the calling thread's
// affinity mask when it is first asked: ask before the thread is pinned.
//
// DOALL_DOMAINS=4,4 says instead how many workers each domain has: for tests, and for
// machines that describe themselves wrongly. A list that is no list of whole numbers
// from 1 warns, and the machine's own domains are used.
// Any thread. O(workers).
std::vector<std::uint32_t> domain_starts(std::uint32_t workers);

// The rule behind it. `domains`: of the CPUs in pin order, any numbers that tell them
// apart; empty when there is but one.
std::vector<std::uint32_t> starts_of(std::span<const unsigned> domains, std::uint32_t workers);

// The domains of CPUs, given in pin order, of a machine: their NUMA nodes, or their
// packages where all memory is one node.
std::vector<unsigned> domains_on(const hwloc_tree& tree, std::span<const int> cpus);

// "4,4" as 0,0,0,0,1,1,1,1; nothing when it is no such list.
std::optional<std::vector<unsigned>> domains_from_counts(std::string_view text);

// Whether the kernel says that all CPUs belong to one NUMA node, or nothing about nodes.
// `root` is put before /sys: tests give a folder that plays the file system.
bool has_one_domain(const std::string& root = "");

}  // namespace doall::topology
