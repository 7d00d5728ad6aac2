// Machines and recorded costs from files that are damaged: read, or refused with words.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/machine.hpp"
#include "sim/workload.hpp"
#include "support/damage.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

constexpr const char* a_machine = R"({
  // As a user writes one.
  "processors": 128, "domains": 2, "unit": 1,
  "cache_bytes": 1e6, "domain_cache_bytes": 256e6,
  "near_byte": 3e-5, "fetch_byte": 5e-5, "far_byte": 1e-4, "memory_byte": 3.3e-6,
  "messages": {"near": 0.05, "far": 0.15, "line": 0.004},
  "sync": {"own": 0.01, "central": 0.15, "stolen": 0.3}
})";

constexpr const char* a_workload = R"({"format": "doall-workload/1",  // a comment
 "loops": [{"name": "rows", "iterations": 1000, "cost_ns": 250, "bytes": 64},
           {"iterations": 8, "calls": 20, "costs_ns": [[6, 0], [2, 1e6]],
            "ran": {"schedule": "static", "workers": 2, "ns": 4000}}]}
)";

template <class Read>
void never_crashes(const char* valid, Read read) {
  EXPECT_NO_THROW(read(valid));
  for_each_case(5'000, [&](base::rng& random) {
    const std::string text = damaged(valid, random);
    try {
      read(text);
    } catch (const std::invalid_argument& e) {
      EXPECT_STRNE(e.what(), "");
    }
  });
}

TEST(DamagedFiles, OfMachinesAreRefused) {
  never_crashes(a_machine, [](std::string_view text) { sim::read_machine("file", text); });
}

TEST(DamagedFiles, OfCostsAreRefused) {
  never_crashes(a_workload, [](std::string_view text) { sim::read_workload("file", text); });
}

}  // namespace
}  // namespace doall::tests
