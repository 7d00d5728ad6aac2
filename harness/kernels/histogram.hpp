// How often each value of red, green and blue occurs in a picture.
//
// Fine-grain, section 5.3, takes it from Phoenix++ (Talbot, Yoo, Kozyrakis,
// MapReduce 2011), on its small input, a picture of 100 MB:
//   for each pixel (r, g, b): ++red[r], ++green[g], ++blue[b]
// One loop, one reduction, of 768 sums. There is a picture of 1 MB too, as for
// linear-regression.
//
// Imbalance: none. Affinity: none, the picture is only read.
//
// An iteration is a piece of 1,024 pixels, so that what it computes can be compiled
// once for all runtimes. The pixels are random. Counts are exact in any order.
#pragma once

#include <array>

#include "kernels/kernel.hpp"

namespace doall::bench {

// Red, green, blue. The picture has fewer than 2^32 pixels.
inline constexpr std::size_t histogram_bins = 3 * 256;
using histogram_counts = std::array<std::uint32_t, histogram_bins>;

void add(histogram_counts& counts, const histogram_counts& others);

class histogram final : public kernel {
 public:
  static constexpr bool is_reduction = true;

  // Of that input, a hundredth when it is small.
  histogram(size s, std::size_t bytes);

  void reset() override { counts_ = {}; }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(counts_)); }
  // What each iteration adds is told by the counts.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  std::size_t pieces() const { return (pixels_.size() + piece_pixels - 1) / piece_pixels; }
  // Adds to histogram_bins counts.
  void count_piece(std::size_t piece, std::uint32_t* counts) const;

  void take(const histogram_counts& counts) { counts_ = counts; }
  const histogram_counts& counts() const { return counts_; }

  using pixel = std::array<std::uint8_t, 3>;
  std::span<const pixel> pixels() const { return pixels_; }

 private:
  static constexpr std::size_t piece_pixels = 1024;

  std::vector<pixel> pixels_;
  histogram_counts counts_{};
};

template <class Loops>
void run(histogram& k, const Loops& loops) {
  k.take(loops.template sum_array<histogram_counts>(
      k.pieces(), [&](std::uint32_t* counts, std::size_t piece) { k.count_piece(piece, counts); },
      [](histogram_counts& counts, const histogram_counts& others) { add(counts, others); }));
}

}  // namespace doall::bench
