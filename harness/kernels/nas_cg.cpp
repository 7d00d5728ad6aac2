#include "kernels/nas_cg.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/kernel.hpp"

namespace doall::bench {

namespace {

constexpr double condition = 0.1;  // the least weight

using sparse_vector = sparse_matrix::sparse_vector;

auto find(sparse_vector& v, std::size_t column) {
  return std::ranges::find(v, column, &sparse_matrix::element::column);
}

// x(i)
sparse_vector make_vector(std::size_t n, std::size_t elements, std::size_t i, nas_random& random) {
  const auto places = static_cast<double>(std::bit_ceil(n));
  sparse_vector v;
  while (v.size() < elements) {
    const double value = random.next();
    const auto place = static_cast<std::size_t>(places * random.next());
    if (place < n && find(v, place) == v.end()) v.push_back({place, value});
  }
  constexpr double own_value = 0.5;
  if (const auto own = find(v, i); own != v.end()) {
    own->value = own_value;
  } else {
    v.push_back({i, own_value});
  }
  return v;
}

// A row that is being added up: all of its elements, and which of them there are.
class open_row {
 public:
  explicit open_row(std::size_t n) : values_(n), is_there_(n) {}

  void add(std::size_t column, double value) {
    if (!is_there_[column]) columns_.push_back(column);
    is_there_[column] = true;
    values_[column] += value;
  }

  // Hands the elements on by column, and is empty again.
  void close(const auto& element) {
    std::ranges::sort(columns_);
    for (const std::size_t column : columns_) {
      element(column, values_[column]);
      values_[column] = 0;
      is_there_[column] = false;
    }
    columns_.clear();
  }

 private:
  std::vector<double> values_;
  std::vector<bool> is_there_;
  std::vector<std::size_t> columns_;
};

}  // namespace

sparse_matrix::sparse_matrix(std::size_t n, std::size_t elements, double shift) {
  nas_random random(nas_random::usual_seed);
  random.skip(1);  // NPB draws one number before the matrix's
  std::vector<sparse_vector> vectors;
  std::vector<std::vector<element>> of_row(n);  // which vectors, by `column`, and their elements
  for (std::size_t i = 0; i < n; ++i) {
    vectors.push_back(make_vector(n, elements, i, random));
    for (const element& e : vectors.back()) of_row[e.column].push_back({i, e.value});
  }

  const double ratio = std::pow(condition, 1 / static_cast<double>(n));
  std::vector<double> weights(n, 1);
  for (std::size_t i = 1; i < n; ++i) weights[i] = weights[i - 1] * ratio;

  row_begins_.push_back(0);
  open_row sums(n);
  for (std::size_t row = 0; row < n; ++row) {
    sums.add(row, condition - shift);
    for (const auto& [i, value] : of_row[row]) {
      for (const element& e : vectors[i]) sums.add(e.column, weights[i] * value * e.value);
    }
    sums.close([&](std::size_t column, double value) {
      columns_.push_back(static_cast<std::uint32_t>(column));
      values_.push_back(value);
    });
    row_begins_.push_back(values_.size());
  }
}

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
