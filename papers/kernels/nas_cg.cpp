#include "kernels/nas_cg.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/chunk.hpp"

namespace doall::bench {

struct nas_cg::shape {
  std::size_t rows;
  std::size_t elements;
  double shift;
  double zeta;  // what it is to be, by NPB 3.3
};

const nas_cg::shape& nas_cg::shape_of(nas_class c) {
  static constexpr shape all[] = {
      {1'400, 7, 10, 8.5971775078648},
      {7'000, 8, 12, 10.362595087124},
      {14'000, 11, 20, 17.130235054029},
  };
  return all[static_cast<std::size_t>(c)];
}

nas_cg::nas_cg(size s, nas_class c)
    : shape_(shape_of(s == size::paper ? c : nas_class::s)),
      matrix_(shape_.rows, shape_.elements, shape_.shift),
      vectors_(5, shape_.rows),
      x_(vectors_[0]),
      z_(vectors_[1]),
      p_(vectors_[2]),
      q_(vectors_[3]),
      r_(vectors_[4]) {}

void nas_cg::reset() {
  std::fill_n(x_, matrix_.rows(), 1);
  zeta_ = 0;
  residual_ = 0;
  verdict_ = {};
}

std::size_t nas_cg::chunk(std::size_t workers) const { return chunk_of(blocks(), workers); }

// All loops are one loop, as residence counts them: their iterations have the same data.
nas_cg::row_range nas_cg::noted(std::size_t block) const {
  note(0, block);
  const std::size_t begin = block * block_rows;
  return {begin, std::min(begin + block_rows, matrix_.rows())};
}

double nas_cg::start(std::size_t block) {
  const auto [begin, end] = noted(block);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    z_[i] = 0;
    r_[i] = p_[i] = x_[i];
    sum += r_[i] * r_[i];
  }
  return sum;
}

double nas_cg::multiply(std::size_t block) {
  const auto [begin, end] = noted(block);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    q_[i] = matrix_.product(i, p_);
    sum += p_[i] * q_[i];
  }
  return sum;
}

double nas_cg::descend(double alpha, std::size_t block) {
  const auto [begin, end] = noted(block);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    z_[i] += alpha * p_[i];
    r_[i] -= alpha * q_[i];
    sum += r_[i] * r_[i];
  }
  return sum;
}

void nas_cg::turn(double beta, std::size_t block) {
  const auto [begin, end] = noted(block);
  for (std::size_t i = begin; i < end; ++i) p_[i] = r_[i] + beta * p_[i];
}

double nas_cg::residual(std::size_t block) const {
  const auto [begin, end] = noted(block);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const double difference = x_[i] - matrix_.product(i, z_);
    sum += difference * difference;
  }
  return sum;
}

nas_cg::products& nas_cg::products::operator+=(const products& other) {
  x_z += other.x_z;
  z_z += other.z_z;
  return *this;
}

nas_cg::products nas_cg::project(std::size_t block) const {
  const auto [begin, end] = noted(block);
  products sums;
  for (std::size_t i = begin; i < end; ++i) sums += {x_[i] * z_[i], z_[i] * z_[i]};
  return sums;
}

void nas_cg::normalise(double norm, std::size_t block) {
  const auto [begin, end] = noted(block);
  for (std::size_t i = begin; i < end; ++i) x_[i] = z_[i] / norm;
}

void nas_cg::take(const products& sums, double residual) {
  constexpr double tolerance = 1e-10;
  zeta_ = shape_.shift + 1 / sums.x_z;
  residual_ = residual;
  verdict_.verified = agrees(zeta_, shape_.zeta, tolerance) ? 1 : 0;
}

}  // namespace doall::bench
