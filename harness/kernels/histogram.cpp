#include "kernels/histogram.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace doall::bench {

void add(histogram_counts& counts, const histogram_counts& others) {
  for (std::size_t bin = 0; bin < histogram_bins; ++bin) counts[bin] += others[bin];
}

histogram::histogram(size s, std::size_t bytes)
    : pixels_((s == size::paper ? bytes : bytes / 100) / sizeof(pixel)) {
  base::rng random(1);
  for (pixel& p : pixels_) {
    const std::uint64_t bits = random.next();
    for (std::size_t colour = 0; colour < p.size(); ++colour) {
      p[colour] = static_cast<std::uint8_t>(bits >> 8 * colour);
    }
  }
}

void histogram::count_piece(std::size_t piece, std::uint32_t* counts) const {
  const std::size_t begin = piece * piece_pixels;
  const std::size_t end = std::min(begin + piece_pixels, pixels_.size());
  for (std::size_t i = begin; i < end; ++i) {
    const pixel p = pixels_[i];
    ++counts[p[0]];
    ++counts[256 + p[1]];
    ++counts[512 + p[2]];
  }
}

}  // namespace doall::bench
