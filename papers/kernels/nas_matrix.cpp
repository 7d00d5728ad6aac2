#include "kernels/nas_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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

}  // namespace doall::bench
