// A reduction in its fixed order on one thread: the tree of blocks.h in one go, without the views
// that workers leave for one another. A short reduction would notice these.
//
// Of terms that add up fours (sums.hpp). Combines what the workers' chunks combine, in the same
// order, so the result has the same bits. Cost: a combination for each element, and four or more of
// these side by side.
#pragma once

#include <doall/blocks.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

template <class Value, class Terms>
class whole_tree {
 public:
  whole_tree(const Terms& of, const doall_cut& cut) : of_(of), cut_(cut) {}

  // Called once.
  Value sum() {
    if (cut_.length == 1 && cut_.longer == 0)
      add_blocks_of_one();
    else
      add_sixteens();
    while (size_ > 1) combine_last();
    return std::move(nodes_[0].sum);
  }

 private:
  union node {
    Value sum;

    node() {}
    ~node() {}
  };

  void add_blocks_of_one() {
    std::uint64_t block = 0;
    for (; cut_.blocks - block >= 16; block += 16)
      push_sixteen(block, of_.template sixteen_short<1>(block));
    const std::uint64_t rest = cut_.blocks - block;
    if ((rest & 8) != 0) push(of_.template eight_short<1>(block));
    if ((rest & 4) != 0) push(of_.template four_short<1>(block + (rest & 8)));
    if ((rest & 2) != 0) push(of_.template two_short<1>(block + (rest & 12)));
    if ((rest & 1) != 0) push(of_.template short_block<1>(block + (rest & 14)));
  }

  // Of a loop that has as many blocks as any.
  void add_sixteens() {
    static_assert(DOALL_MOST_BLOCKS % 16 == 0);
    std::uint64_t begin = 0;
    for (std::uint64_t block = 0; block < cut_.blocks; block += 16) {
      const std::uint64_t length = doall_block_length(cut_, block);
      const bool are_alike = doall_block_length(cut_, block + 15) == length;
      push_sixteen(block, are_alike ? of_.node_of_sixteen(begin, length) : sixteen_of(block));
      begin = are_alike ? begin + 16 * length : doall_cut_begin(cut_, block + 16);
    }
  }

  // Of blocks that differ in length; those of three fours are alike.
  [[gnu::noinline]] Value sixteen_of(std::uint64_t block) const {
    return of_four(block, 4, [this](std::uint64_t part) { return four_of(part); });
  }
  Value four_of(std::uint64_t block) const {
    const std::uint64_t length = doall_block_length(cut_, block);
    if (length == doall_block_length(cut_, block + 3))
      return of_.node_of_four(doall_cut_begin(cut_, block), length);
    return of_four(block, 1, [this](std::uint64_t part) { return block_of(part); });
  }

  // Of four parts of that many blocks, added up from left to right.
  template <class Add>
  Value of_four(std::uint64_t block, std::uint64_t width, Add add) const {
    Value a = add(block);
    Value b = add(block + width);
    Value c = add(block + 2 * width);
    Value d = add(block + 3 * width);
    return of_.combined(std::move(a), std::move(b), std::move(c), std::move(d));
  }
  Value block_of(std::uint64_t block) const {
    return of_.block(doall_cut_begin(cut_, block), doall_block_length(cut_, block));
  }

  void push_sixteen(std::uint64_t block, Value sixteen) {
    push(std::move(sixteen));
    for (auto n = __builtin_ctzll(block / 16 + 1); n > 0; --n) combine_last();
  }

  void push(Value sum) { std::construct_at(&nodes_[size_++].sum, std::move(sum)); }
  void combine_last() {
    --size_;
    Value& left = nodes_[size_ - 1].sum;
    left = of_.with(std::move(left), std::move(nodes_[size_].sum));
  }

  const Terms& of_;
  const doall_cut cut_;
  std::array<node, DOALL_MOST_NODES> nodes_;
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace doall
