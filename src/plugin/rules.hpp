// SPDX-License-Identifier: Apache-2.0
// The rules by which iterations have costs, for the plugins of both compilers: prices, bits of what
// is known, and the two sizes that are made of cycles. GCC's and LLVM's code apply them to trees
// and to SSA of their own (src/plugin/README.md, "Costs").
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

namespace doall::plugin {

// Cycles, roughly, that a statement of each kind takes on a core of today. Only their ratios count,
// but for the grain.
struct price_table {
  unsigned statement = 1;
  unsigned load = 2;  // or a store
  unsigned division = 12;
  unsigned call = 40;
  unsigned round = 1;   // of a loop, besides its statements
  unsigned atomic = 8;  // on a line that the core has

  // From STATEMENT,LOAD,DIVISION,CALL,ROUND,ATOMIC; what is missing stays.
  void read(const char* text) {
    for (unsigned* price : {&statement, &load, &division, &call, &round, &atomic}) {
      if (*text == '\0') break;
      char* end = nullptr;
      *price = static_cast<unsigned>(std::strtoul(text, &end, 10));
      text = *end == ',' ? end + 1 : end;
    }
  }
};

// Bits of what a note knows (src/omp/compiled_loop.hpp has the same); the grain lies above them,
// and above that with how many iterations a loop is fine.
inline constexpr std::uint64_t is_uniform = 1;
inline constexpr std::uint64_t is_guarded = 2;
inline constexpr std::uint64_t is_weighted = 4;
inline constexpr std::uint64_t is_made_anew = 8;  // sums are not kept
inline constexpr std::uint64_t keeps_blocks = 128;
inline constexpr unsigned grain_shift = 8;
inline constexpr unsigned fine_shift = 32;

// All notes of a program lie side by side, where `doall doctor` counts them.
inline constexpr const char* notes_section = "doall_loops";

// Iterations of so many cycles are a grain (LBS, section 3.2).
inline constexpr unsigned cycles_of_grain = 1000;
inline constexpr std::uint64_t grain_of(std::uint64_t mean_cycles) {
  const std::uint64_t grain = (cycles_of_grain + mean_cycles - 1) / mean_cycles;
  return grain > 1 ? grain : 1;
}

// A loop is fine-grain whose iterations take less than 100 ms in all, one after the other
// (fine-grain, section 5.5): on the paper's machine, of 2.6 GHz. Nothing in it is parallel, and its
// iterations are alike, since they are dealt once (sections 3 and 4).
inline constexpr unsigned cycles_of_fine_loop = 260'000'000;

}  // namespace doall::plugin
