// An image by a filter.
//
// LBS, section 5, "an image by filter convolution"; of its n x n pixels and m x m weights:
//   for each row i in parallel
//     for each column j in parallel
//       out(i,j) = sum of weight(u,v) * pixel(i + m/2 - u, j + m/2 - v) over u and v, serially
// Table 2: images of 64 x 64 and 1,024 x 1,024, a filter of 16 x 16. The paper does not say
// which of the four loops are do-all; its ppt is 1, as of an iteration that holds a loop.
// Sums over the filter stay serial here: there are a million pixels to share.
//
// Imbalance: none. Affinity: none from run to run; neighbours share most of their pixels.
//
// Pixels outside of the image are 0. They are stored as a margin, and a sum has no branches.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class convolution final : public kernel {
 public:
  explicit convolution(size s) : convolution(s == size::paper ? 1024 : 64, 16) {}
  // Sides, in pixels and in weights; the filter's is at least 1.
  convolution(std::size_t image, std::size_t filter, std::uint64_t seed = 1);

  void reset() override { out_ = rows<std::int32_t>(n_, n_); }
  std::span<const std::byte> answer() const override { return out_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override { return {n_ * n_}; }  // pixels

  std::size_t n() const { return n_; }
  std::size_t filter_side() const { return m_; }

  void compute(std::size_t row, std::size_t column);

  // For lanes/recorded.hpp: of a pixel.
  std::uint64_t pixel_cycles() const { return 2 * m_ * m_; }

  std::int32_t pixel(std::size_t row, std::size_t column) const {
    return image_[row + before()][column + before()];
  }
  std::int32_t weight(std::size_t u, std::size_t v) const { return filter_[u][v]; }
  std::int32_t out(std::size_t row, std::size_t column) const { return out_[row][column]; }

 private:
  // So many rows and columns of the margin come before the image.
  std::size_t before() const { return m_ - 1 - m_ / 2; }

  std::size_t n_;
  std::size_t m_;
  rows<std::int32_t> image_;
  rows<std::int32_t> filter_;
  rows<std::int32_t> out_;
};

template <class Loops>
void run(convolution& k, const Loops& loops) {
  loops.outer(k.n(), [&](std::size_t row) {
    loops.inner(k.n(), [&](std::size_t column) {
      charge(loops, [&] { return k.pixel_cycles(); });
      k.compute(row, column);
    });
  });
}

}  // namespace doall::bench
