// The matrix of NAS CG.
//
// RNR-94-007, kernel CG: A = sum over i of w(i) x(i) x(i)^T, to whose diagonal 0.1 - shift is
// added. w falls from 1 to 0.1 as a geometric sequence. x(i) is a sparse vector: so many random
// elements at random places, then element i becomes 1/2. A random element takes two numbers,
// its value and its place; the place is a part of the next power of two above n, and the
// element is dropped if that is beyond n or taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/nas_random.hpp"

namespace doall::bench {

class sparse_matrix {
 public:
  struct element {
    std::size_t column;
    double value;
  };
  using sparse_vector = std::vector<element>;

  // n rows of the sum of outer products of vectors of `elements` random elements.
  sparse_matrix(std::size_t n, std::size_t elements, double shift);

  std::size_t rows() const { return row_begins_.size() - 1; }
  std::size_t elements() const { return values_.size(); }

  // Of that row and `vector`.
  double product(std::size_t row, const double* vector) const {
    double sum = 0;
    for (std::size_t i = row_begins_[row]; i < row_begins_[row + 1]; ++i) {
      sum += values_[i] * vector[columns_[i]];
    }
    return sum;
  }

 private:
  std::vector<std::size_t> row_begins_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
};

}  // namespace doall::bench
