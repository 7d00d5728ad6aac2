// What the cells of a loop cost (src/schedule/README.md, "What a dealt chunk promises"): a cell
// costs the sum of its iterations. Sums are made as with_costs() asks for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/arith.hpp"
#include "doall/abi.h"

namespace doall::costs {

class costs_of_cells {
 public:
  // `told`, of the iterations, may be null; it must outlive this object.
  costs_of_cells(const doall_costs* told, std::uint64_t iterations, std::uint64_t cell)
      : told_(told), iterations_(iterations), cell_(cell) {
    if (told == nullptr || cell == 1 || told->kind == DOALL_COSTS_NONE) return;
    summed_ = *told;
    summed_.size = sizeof summed_;
    if (!can_be_summed()) {  // for with_costs() to refuse, however many cells there are
      summed_.data = nullptr;
      summed_.write = nullptr;
      return;
    }
    summed_.iterations = base::ceil_div(iterations, cell);
    summed_.data = this;
    switch (told->kind) {
      case DOALL_COSTS_SIGNED: summed_.write = write<std::int64_t>; break;
      case DOALL_COSTS_REAL: summed_.write = write<double>; break;
      default: summed_.write = write<std::uint64_t>; break;
    }
    if (told->kind == DOALL_COSTS_SUMS) summed_.kind = DOALL_COSTS_UNSIGNED;
    if (told->generation != 0) summed_.identity = identity_of_cells();
  }
  costs_of_cells(const costs_of_cells&) = delete;
  costs_of_cells& operator=(const costs_of_cells&) = delete;

  // Of the cells, or null. Valid as long as this object.
  const doall_costs* get() const { return summed_.size != 0 ? &summed_ : told_; }

 private:
  // Not costs of another number of iterations, or nowhere.
  bool can_be_summed() const {
    if (told_->kind == DOALL_COSTS_SUMS) {
      return told_->data != nullptr && told_->iterations == iterations_;
    }
    const bool as_many = told_->iterations == 0 || told_->iterations == iterations_;
    return as_many && told_->kind != DOALL_COSTS_NONE && told_->kind <= DOALL_COSTS_REAL &&
           told_->write != nullptr;
  }

  // Nothing else of costs with a generation is compared, and other cells may be as many.
  const void* identity_of_cells() const {
    if (told_->identity == nullptr) return nullptr;
    const std::uint64_t shape = iterations_ * 0x9e3779b97f4a7c15 ^ cell_ * 0xc2b2ae3d27d4eb4f;
    const auto mixed = static_cast<std::uintptr_t>(shape | 1);
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(told_->identity) ^ mixed);
  }

  template <class T>
  static void write(const doall_costs* self, std::uint64_t first, std::uint64_t stride,
                    std::uint64_t count, void* costs) {
    const auto& cells = *static_cast<const costs_of_cells*>(self->data);
    for (std::uint64_t i = 0; i < count; ++i) {
      static_cast<T*>(costs)[i] = cells.cost_of<T>(first + i * stride);
    }
  }

  template <class T>
  T cost_of(std::uint64_t cell) const {
    const std::uint64_t begin = cell * cell_;
    const std::uint64_t end = base::add_up_to(begin, cell_, iterations_);
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (told_->kind == DOALL_COSTS_SUMS) {
        const auto* const sums = static_cast<const std::uint64_t*>(told_->data);
        return sums[end] - sums[begin];
      }
    }
    constexpr std::uint64_t at_once = 64;
    std::array<T, at_once> each;
    T sum = 0;
    for (std::uint64_t at = begin; at < end; at += at_once) {
      const std::uint64_t some = std::min(end - at, at_once);
      told_->write(told_, at, 1, some, each.data());
      for (std::uint64_t i = 0; i < some; ++i) {
        if constexpr (std::is_signed_v<T>) {
          if (each[i] < 0) return each[i];  // for with_costs() to refuse
        }
        sum = add(sum, each[i]);
      }
    }
    return sum;
  }

  template <class T>
  static T add(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return a > std::numeric_limits<T>::max() - b ? std::numeric_limits<T>::max() : a + b;
    }
  }

  const doall_costs* told_;
  std::uint64_t iterations_;
  std::uint64_t cell_;
  doall_costs summed_{};
};

}  // namespace doall::costs
