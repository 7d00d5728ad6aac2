#include "experiments/hybrid_programs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/rng.hpp"

namespace doall::bench::hybrid_virtual {
namespace {

using sim::block_use;

constexpr double number_bytes = 8;
constexpr double first_level_cycles = 4.1;  // Figure 5

std::uint32_t block_of(u64 b) { return static_cast<std::uint32_t>(b); }

// Where the one of `all` has its home that static's order places there.
double placed(u64 one, u64 all) { return static_cast<double>(one) / static_cast<double>(all); }

// Walks through arrays: `part`, of array i, is of the mean one's length.
template <class Part>
sim::program walks(std::string name, double bytes, u64 phases, Part part) {
  constexpr u64 arrays = 4096;
  constexpr double passes = 20;
  sim::program made;
  made.name = std::move(name);
  made.blocks = block_of(arrays);
  made.block_bytes = bytes / arrays;
  made.loops = phases;
  made.home = [](std::uint32_t b) { return placed(b, arrays); };
  std::vector<double> costs(arrays);
  for (u64 i = 0; i < arrays; ++i) {
    costs[i] = passes * part(i, arrays) * made.block_bytes / number_bytes * first_level_cycles;
  }
  made.loop = [costs = std::move(costs), part](u64) {
    return sim::program_loop{
        .iterations = arrays,
        .costs = sim::iteration_costs(costs),
        .uses = [part](u64 i, std::vector<block_use>& to) {
          to.push_back({.block = block_of(i), .writes = true, .part = part(i, arrays)});
        }};
  };
  return made;
}

}  // namespace

sim::program balanced(double bytes, u64 phases) {
  return walks("balanced", bytes, phases, [](u64, u64) { return 1.0; });
}

sim::program unbalanced(double bytes, u64 phases) {
  return walks("unbalanced", bytes, phases, [](u64 i, u64 arrays) {
    return 2 * static_cast<double>(i + 1) / static_cast<double>(arrays + 1);
  });
}

sim::program embarrassingly_parallel() {
  constexpr u64 batches = 16'384;  // class B: 2^30 pairs
  constexpr double batch_cycles = 65'536 * 60.0;
  constexpr double spread = 0.01;  // assumed: how many pairs a batch accepts
  base::rng random(1);
  std::vector<double> costs(batches);
  for (double& c : costs) {
    const double drawn = std::ldexp(static_cast<double>(random.next() >> 11), -53);
    c = batch_cycles * (1 + spread * (drawn - 0.5));
  }
  sim::program made;
  made.name = "ep";
  made.loops = 1;
  made.loop = [costs = std::move(costs)](u64) {
    return sim::program_loop{.iterations = costs.size(), .costs = sim::iteration_costs(costs)};
  };
  return made;
}

sim::program conjugate_gradient(u64 steps) {
  constexpr u64 iterations = 4096;
  constexpr double rows = 150'000;
  constexpr double elements = 36e6;
  constexpr double element_bytes = 12;
  constexpr u64 pieces = 64;  // of a vector
  constexpr u64 a_piece = iterations / pieces;
  constexpr double piece_part =
      rows * number_bytes / pieces / (elements * element_bytes / iterations);
  enum vector_name : u64 { p, q, r, z };
  const auto piece = [](vector_name v, u64 i) {
    return block_of(iterations + v * pieces + i / a_piece);
  };
  sim::program made;
  made.name = "cg";
  made.blocks = block_of(iterations + 4 * pieces);
  made.block_bytes = elements * element_bytes / iterations;
  made.sites = 2;
  made.loops = steps * made.sites;
  made.home = [](std::uint32_t b) {
    return b < iterations ? placed(b, iterations) : placed((b - iterations) % pieces, pieces);
  };
  made.loop = [piece](u64 k) {
    if (k % 2 == 0) {
      return sim::program_loop{
          .iterations = iterations,
          .costs = sim::iteration_costs(elements / iterations * first_level_cycles),
          .uses = [piece](u64 i, std::vector<block_use>& to) {
            to.push_back({block_of(i)});
            for (u64 j = 0; j < iterations; j += a_piece) {
              to.push_back({.block = piece(p, j), .part = piece_part});
            }
            to.push_back({.block = piece(q, i), .writes = true, .part = piece_part / a_piece});
          }};
    }
    return sim::program_loop{
        .iterations = iterations,
        .costs = sim::iteration_costs(4 * rows / iterations * first_level_cycles),
        .uses = [piece](u64 i, std::vector<block_use>& to) {
          for (const vector_name v : {p, q, r, z}) {
            to.push_back({.block = piece(v, i), .writes = v != q, .part = piece_part / a_piece});
          }
        }};
  };
  return made;
}

// Planes of a grid's arrays: u and r of each level, the finest first.
namespace {

constexpr u64 finest = 512;
constexpr u64 levels = 4;

u64 planes_of(u64 level) { return finest >> level; }

enum array_name : u64 { solution, residual };

std::uint32_t plane(array_name array, u64 level, u64 i) {
  u64 before = 0;
  for (u64 l = 0; l < level; ++l) before += 2 * planes_of(l);
  return block_of(before + array * planes_of(level) + std::min(i, planes_of(level) - 1));
}

double part_of(u64 level) { return std::ldexp(1, -2 * static_cast<int>(level)); }

// Reads planes i - 1, i and i + 1 of one array and writes plane i of another.
sim::program_loop stencil(u64 level, array_name from, array_name to) {
  const double points = std::ldexp(1, 18 - 2 * static_cast<int>(level));
  constexpr double loads_a_point = 8;
  return {.iterations = planes_of(level),
          .costs = sim::iteration_costs(points * loads_a_point * first_level_cycles),
          .uses = [level, from, to](u64 i, std::vector<block_use>& uses) {
            const double part = part_of(level);
            if (i != 0) uses.push_back({.block = plane(from, level, i - 1), .part = part});
            uses.push_back({.block = plane(from, level, i), .part = part});
            uses.push_back({.block = plane(from, level, i + 1), .part = part});
            uses.push_back({.block = plane(to, level, i), .writes = true, .part = part});
          }};
}

// Down: a coarser plane of the residual is made of three finer ones. Up: a coarser plane of the
// solution goes into two finer ones.
sim::program_loop between(u64 coarser, bool down) {
  const u64 finer = coarser - 1;
  sim::program_loop made = stencil(coarser, residual, residual);
  made.uses = [=](u64 i, std::vector<block_use>& uses) {
    const array_name array = down ? residual : solution;
    for (u64 f = 2 * i; f < 2 * i + 2; ++f) {
      uses.push_back({.block = plane(array, finer, f), .writes = !down, .part = part_of(finer)});
    }
    uses.push_back({.block = plane(array, coarser, i), .writes = down, .part = part_of(coarser)});
  };
  return made;
}

}  // namespace

sim::program multigrid(u64 cycles) {
  sim::program made;
  made.name = "mg";
  made.blocks = plane(residual, levels - 1, planes_of(levels - 1) - 1) + 1;
  made.block_bytes = finest * finest * number_bytes;
  std::vector<double> homes(made.blocks);
  for (u64 l = 0; l < levels; ++l) {
    for (const array_name array : {solution, residual}) {
      for (u64 i = 0; i < planes_of(l); ++i) homes[plane(array, l, i)] = placed(i, planes_of(l));
    }
  }
  made.home = [homes](std::uint32_t b) { return homes[b]; };
  std::vector<sim::program_loop> cycle;
  for (u64 l = 1; l < levels; ++l) cycle.push_back(between(l, true));
  for (u64 l = levels; l-- > 0;) {
    if (l + 1 != levels) {
      cycle.push_back(between(l + 1, false));
      cycle.push_back(stencil(l, solution, residual));
    }
    cycle.push_back(stencil(l, residual, solution));
  }
  cycle.push_back(stencil(0, solution, residual));
  made.sites = cycle.size();
  made.loops = cycles * made.sites;
  made.loop = [cycle](u64 k) { return cycle[k % cycle.size()]; };
  return made;
}

sim::program fourier(u64 steps) {
  constexpr u64 lines = 512;
  constexpr double plane_numbers = 2.0 * lines * lines;
  constexpr double passes = 9;  // log2 of a line
  sim::program made;
  made.name = "ft";
  made.blocks = block_of(lines);
  made.block_bytes = plane_numbers * number_bytes;
  made.sites = 2;
  made.loops = steps * made.sites;
  made.home = [](std::uint32_t b) { return placed(b, lines); };
  made.loop = [](u64 k) {
    sim::program_loop loop{
        .iterations = lines,
        .costs = sim::iteration_costs(plane_numbers * passes * first_level_cycles)};
    if (k % 2 == 0) {
      loop.uses = [](u64 i, std::vector<block_use>& to) {
        to.push_back({.block = block_of(i), .writes = true});
      };
    } else {
      loop.uses = [](u64 i, std::vector<block_use>& to) {
        for (u64 j = 0; j < lines; ++j) {
          to.push_back({.block = block_of((i + j) % lines), .writes = true, .part = 1.0 / lines});
        }
      };
    }
    return loop;
  };
  return made;
}

sim::program integer_sort(u64 steps, const std::optional<schedules::spec>& buckets_clause) {
  constexpr u64 pieces = 4096;
  constexpr u64 buckets = 1024;
  constexpr u64 in_reach = 64;  // buckets that a piece of keys goes to
  constexpr double keys = 2147483648.0;
  constexpr double key_bytes = 4;
  // A bucket's part of all keys: four uniform numbers added up.
  std::vector<double> part(buckets);
  for (u64 b = 0; b < buckets; ++b) {
    const double x = 4 * (static_cast<double>(b) + 0.5) / buckets;
    const double y = x < 2 ? x : 4 - x;
    part[b] = y < 1 ? y * y * y / 6 : (-3 * y * y * y + 12 * y * y - 12 * y + 4) / 6;
  }
  const double all = std::accumulate(part.begin(), part.end(), 0.0);
  for (double& one : part) one *= static_cast<double>(pieces) / all;  // of a piece
  sim::program made;
  made.name = "is";
  made.blocks = block_of(pieces + 2 * buckets);  // keys; keys by bucket; counts by bucket
  made.block_bytes = keys / pieces * key_bytes;
  made.sites = 2;
  made.loops = steps * made.sites;
  made.home = [](std::uint32_t b) {
    return b < pieces ? placed(b, pieces) : placed((b - pieces) % buckets, buckets);
  };
  made.loop = [part, buckets_clause](u64 k) {
    if (k % 2 == 0) {
      return sim::program_loop{
          .iterations = pieces,
          .costs = sim::iteration_costs(keys / pieces * 2 * first_level_cycles),
          .uses = [part](u64 i, std::vector<block_use>& to) {
            to.push_back({block_of(i)});
            const u64 first = i % (buckets / in_reach);
            for (u64 b = first; b < buckets; b += buckets / in_reach) {
              to.push_back({.block = block_of(pieces + b),
                            .writes = true,
                            .part = part[b] * buckets / in_reach / pieces});
            }
          }};
    }
    std::vector<double> costs(buckets);
    for (u64 b = 0; b < buckets; ++b) {
      costs[b] = part[b] * keys / pieces * 2 * first_level_cycles;
    }
    return sim::program_loop{
        .iterations = buckets,
        .costs = sim::iteration_costs(costs),
        .uses =
            [part](u64 b, std::vector<block_use>& to) {
              to.push_back({.block = block_of(pieces + b), .part = part[b]});
              to.push_back(
                  {.block = block_of(pieces + buckets + b), .writes = true, .part = part[b]});
            },
        .clause = buckets_clause};
  };
  return made;
}

}  // namespace doall::bench::hybrid_virtual
