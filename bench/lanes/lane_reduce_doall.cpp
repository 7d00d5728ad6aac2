// The native door's lane: two schedules in both orders.
#include <doall/doall.hpp>

#include <functional>

#include "lanes/doall.hpp"
#include "lanes/reduce_lane.hpp"

namespace {

using namespace doall::bench;

reductions in_order(const std::string& text) {
  const doall::loop_options options = options_from(text);
  return {text,
          [options](std::span<const double> x, std::span<const double> y) {
            return doall::parallel_reduce(
                std::size_t{0}, x.size(), 0.0, [x, y](std::size_t i) { return x[i] * y[i]; },
                std::plus<>(), options);
          },
          [options](std::span<const std::uint8_t> bytes) {
            return doall::parallel_reduce(
                std::size_t{0}, bytes.size(), byte_counts{},
                [bytes](doall::range<std::size_t> part) {
                  byte_counts counts{};
                  for (const std::size_t i : part) ++counts[bytes[i]];
                  return counts;
                },
                [](byte_counts counts, const byte_counts& others) {
                  add(counts, others);
                  return counts;
                },
                options);
          }};
}

}  // namespace

int main() {
  serve_reduce({.library = std::string("libdoall ") + doall_version(),
                .threads = doall_threads(),
                .offered = {in_order("default"), in_order(std::string("default") + any_order),
                            in_order("static"), in_order(std::string("static") + any_order)}});
}
