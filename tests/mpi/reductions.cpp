// A reduction over ranks has the bits of the same reduction on one machine: random lengths, types,
// bodies and schedules, on 1, 2 and 3 threads a rank.
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "ranks.hpp"
#include "schedule/registry.hpp"

namespace doall::tests {
namespace {

struct moments {
  double sum = 0;
  float squares = 0;
  std::int32_t count = 0;
};

// Random numbers by index, of very different magnitudes.
double number(u64 i, u64 salt) {
  base::rng of(i * 0x9e3779b97f4a7c15 + salt);
  return std::ldexp(1.0 + 1e-3 * static_cast<double>(of.below(1000)),
                    static_cast<int>(of.below(60)) - 30);
}

template <class Value>
bool same_bits(const Value& a, const Value& b) {
  if constexpr (std::is_same_v<Value, moments>) {
    return same_bits(a.sum, b.sum) && std::memcmp(&a.squares, &b.squares, 4) == 0 &&
           a.count == b.count;
  } else if constexpr (std::is_trivially_copyable_v<Value>) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  } else {
    return a == b;
  }
}

template <class Value, class Body, class Combine>
void compare(mpi::world& w, u64 n, const Value& identity, Body body, Combine combine,
             const mpi::loop_options& options, const std::string& what) {
  const Value one = doall::parallel_reduce(u64{0}, n, identity, body, combine);
  const Value all = mpi::parallel_reduce(w, u64{0}, n, identity, body, combine, options);
  check(same_bits(one, all), "other bits: " + what, w.rank());
}

std::vector<float> added(std::vector<float> a, const std::vector<float>& b) {
  if (a.size() < b.size()) a.resize(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  return a;
}

void run_case(mpi::world& w, base::rng& random) {
  const std::uint32_t threads = 1 + static_cast<std::uint32_t>(random.below(3));
  const thread_scope scope(threads);
  const u64 salt = random.next();
  const u64 n = random.below(6) == 0 ? random.below(300) : random.below(20'000);
  const auto& all = schedules::registry();
  const schedules::entry* between = nullptr;
  do {
    between = &all[random.below(all.size())];
  } while (between->has(schedules::splitting));
  mpi::loop_options options{.between = std::string(between->name)};
  if (random.below(3) == 0) options.costs = cost([](auto i) { return 1 + i % 3; });
  const std::string what = std::to_string(n) + " iterations between=" + std::string(between->name) +
                           ", " + std::to_string(w.size()) + " ranks x " + std::to_string(threads) +
                           " threads";
  switch (random.below(5)) {
    case 0:
      compare(
          w, n, 0.0, [&](u64 i) { return number(i, salt); }, std::plus<>{}, options,
          "doubles, " + what);
      break;
    case 1:
      compare(
          w, n, moments{},
          [&](range<u64> part) {
            moments m;
            for (const u64 i : part) {
              const double x = number(i, salt);
              m.sum += x;
              m.squares += static_cast<float>(x * x);
              ++m.count;
            }
            return m;
          },
          [](const moments& a, const moments& b) {
            return moments{a.sum + b.sum, a.squares + b.squares, a.count + b.count};
          },
          options, "structures, " + what);
      break;
    case 2:
      compare(
          w, n % 500, std::string(), [](u64 i) { return std::to_string(i) + ","; },
          [](std::string a, const std::string& b) { return std::move(a) + b; }, options,
          "texts, " + what);
      break;
    case 3:
      compare(
          w, n, std::vector<float>(),
          [&](u64 i) {
            std::vector<float> at(i % 3 + 1);
            at.back() = static_cast<float>(number(i, salt));
            return at;
          },
          added, options, "vectors, " + what);
      break;
    default:
      compare(
          w, n, std::int64_t{0}, [&](u64 i) { return static_cast<std::int64_t>(i ^ salt); },
          std::plus<>{}, options, "integers, " + what);
  }
}

}  // namespace
}  // namespace doall::tests

int main(int argc, char** argv) {
  using namespace doall::tests;
  mpi_program program(argc, argv);
  in_worlds([&](doall::mpi::world& w) {
    program.for_each_case([&](doall::base::rng& random) { run_case(w, random); });
  });
  return program.finish();
}
