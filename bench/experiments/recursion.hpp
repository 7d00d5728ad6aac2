// What `doall bench recursion` finds, and what is asked of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"

namespace doall::bench {

// Doors of lanes, here: how many workers a lane has.
inline constexpr const char* all_workers = "all";
inline constexpr const char* one_worker = "one";

// The deep chain is measured as if it were the last program.
inline constexpr const char* chain_name = "deep-chain";

// Chains of one entrant.
struct chain_series {
  struct length {
    std::uint64_t levels = 0;
    std::vector<double> rounds_ns = {};
  };
  entrant of;
  std::vector<length> lengths = {};
  double bytes_a_level = 0;   // of stack; 0: unknown
  std::string given_up = "";  // why longer ones were not asked for; "": none was left out

  bool is_serial() const { return of.schedule.starts_with("serial"); }
  const length* at(std::uint64_t levels) const {  // null: was not measured
    const auto found = std::ranges::find(lengths, levels, &length::levels);
    return found == lengths.end() ? nullptr : &*found;
  }
};

struct recursions : outcome {
  bool quick = false;
  std::vector<program_result> programs = {};
  std::vector<chain_series> chains = {};  // the serial ones first, pairs and loops
  unsigned chain_rounds = 0;
};

// The shortest and the longest chain are judged.
inline std::vector<std::uint64_t> chain_levels(bool quick) {
  if (quick) return {100, 1'000};
  return {1'000, 10'000, 32'000, 100'000};
}

// Of a runtime in one form, with all workers or with one. Null: does not take part.
const series* series_of(const program_result& r, const std::string& runtime,
                        const std::string& form, const char* door);

// Whether what is asked is held: each by the median; nothing is judged with fewer than 6 rounds,
// and no speed-up with one worker.
std::vector<verdict> judge(const recursions& all);

}  // namespace doall::bench
