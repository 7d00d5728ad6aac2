// doall calibrate: measures what statements cost on this machine, for the plugin's cost functions
// (COWS: "the cost of each kind of statement is profiled once a machine"); machine_prices.cpp has
// what loops cost.
//
// The unit is the time of an addition that waits for the one before it, a cycle on any core of
// today. Each price is that of operations as inner loops have them: loads by an index from 256 KiB,
// the others one after the other. Of many short runs the fastest counts, for other programs only
// slow them down.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "base/rng.hpp"
#include "base/sync.hpp"
#include "cc/price_table.hpp"
#include "cli/command.hpp"
#include "cli/machine_prices.hpp"
#include "process/options.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

// Keeps the compiler from knowing the value, and from leaving out what it was computed for.
template <class T>
void hide(T& value) {
  asm volatile("" : "+r"(value));
}
void hide(double& value) { asm volatile("" : "+x"(value)); }

constexpr std::uint64_t operations = 1 << 14;

// Nanoseconds an operation: the fastest of some runs of `operations` of them.
template <class Run>
double fastest_ns(const Run& run) {
  constexpr int runs = 200;
  double least_ns = INFINITY;
  for (int i = 0; i < runs; ++i) {
    const std::uint64_t begin_ns = base::now_ns();
    run();
    least_ns = std::min(least_ns, static_cast<double>(base::now_ns() - begin_ns));
  }
  return least_ns / static_cast<double>(operations);
}

double addition_ns() {
  return fastest_ns([] {
    std::uint64_t sum = 1;
    for (std::uint64_t i = 0; i < operations; i += 8) {
      for (int k = 0; k < 8; ++k) {
        sum += i;
        hide(sum);
      }
    }
  });
}

double load_ns() {
  constexpr std::uint32_t elements = 1 << 15;
  std::vector<std::uint32_t> at(operations);
  std::vector<std::uint64_t> values(elements, 1);
  base::rng numbers(1);
  for (std::uint32_t& one : at) one = static_cast<std::uint32_t>(numbers.below(elements));
  const double both_ns = fastest_ns([&] {  // the index, and the value there
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < operations; ++i) {
      sum += values[at[i]];
      hide(sum);
    }
  });
  return both_ns / 2;
}

double division_ns() {
  return fastest_ns([] {
    std::uint64_t number = ~std::uint64_t{0};
    for (std::uint64_t i = 0; i < operations; ++i) {
      std::uint64_t by = 3;
      hide(by);
      number = number / by + (std::uint64_t{1} << 62);
      hide(number);
    }
  });
}

double call_ns() {
  return fastest_ns([] {
    double number = 0.5;
    for (std::uint64_t i = 0; i < operations; ++i) {
      number = std::exp(-number);
      hide(number);
    }
  });
}

double round_ns() {
  return fastest_ns([] {
    for (std::uint64_t i = 0; i < operations; ++i) hide(i);
  });
}

double atomic_ns() {
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> count{0};
  return fastest_ns([&] {
    // (1) relaxed; alone: no other thread has it
    for (std::uint64_t i = 0; i < operations; ++i) count.fetch_add(1, sync::relaxed);
  });
}

std::string measured_table() {
  const double cycle_ns = addition_ns();
  double (*const prices_ns[])() = {addition_ns, load_ns, division_ns, call_ns, round_ns, atomic_ns};
  static_assert(std::size(prices_ns) == price_names.size());
  std::string text = fmt::format(
      "# What statements cost, in cycles of {:.2f} ns: written by 'doall calibrate'.\n", cycle_ns);
  for (std::size_t i = 0; i < price_names.size(); ++i) {
    const double cycles = prices_ns[i]() / cycle_ns;
    text += fmt::format("{:<9} {:<4} # {}\n", price_names[i].name,
                        std::max(1L, std::lround(cycles)), price_names[i].meaning);
  }
  return text;
}

void write(const fs::path& file, const std::string& text) {
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out)
    throw failure(failed,
                  fmt::format("cannot write to \"{}\"; measured was\n{}", file.string(), text));
  fmt::print("{}\nwritten to {}\n", text, file.string());
}

}  // namespace

int calibrate_command(const arguments& args) {
  option_parser options(
      "calibrate", "[OPTIONS]",
      "Measures what statements cost on this machine, and writes a table that 'doall cc' and its\n"
      "like use from then on; or, with --machine, what loops cost besides their iterations, for\n"
      "'doall simulate' and 'doall advise'.");
  std::string output;
  std::string machine;
  options
      .add_option("--output", output,
                  "the table's file, - for standard output; by default\n"
                  "~/.config/doall/prices, where the drivers look for it")
      .shown_as("FILE");
  options
      .add_option("--machine", machine,
                  "writes this machine's model there instead, - for standard output")
      .shown_as("FILE");
  if (!options.read(args)) return succeeded;
  if (!machine.empty()) {
    write(machine, measured_machine());
    return succeeded;
  }
  if (output.empty()) {
    const auto usual = usual_price_table();
    if (!usual) throw failure(failed, "there is no HOME for the table, expected --output FILE");
    output = usual->string();
  }
  write(output, measured_table());
  return succeeded;
}

}  // namespace doall::cli
