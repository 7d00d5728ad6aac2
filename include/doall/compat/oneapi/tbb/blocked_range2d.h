// blocked_range2d: the product of two intervals.
#ifndef DOALL_COMPAT_BLOCKED_RANGE2D_H
#define DOALL_COMPAT_BLOCKED_RANGE2D_H

#include "blocked_range.h"

namespace tbb {
inline namespace doall_v0 {

// Divisible while one side is; the side that is longer by its grain size is split.
template <class RowValue, class ColValue = RowValue>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;

  blocked_range2d(RowValue row_begin, RowValue row_end,
                  typename row_range_type::size_type row_grainsize, ColValue col_begin,
                  ColValue col_end, typename col_range_type::size_type col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  blocked_range2d(RowValue row_begin, RowValue row_end, ColValue col_begin, ColValue col_end)
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range2d(const row_range_type& rows, const col_range_type& cols)
      : rows_(rows), cols_(cols) {}
  blocked_range2d(blocked_range2d& r, split)
      : blocked_range2d(r, r.rows_.size() / 2, r.cols_.size() / 2) {}
  blocked_range2d(blocked_range2d& r, proportional_split& parts)
      : blocked_range2d(r, row_range_type::kept_of(r.rows_.size(), parts),
                        col_range_type::kept_of(r.cols_.size(), parts)) {}

  const row_range_type& rows() const { return rows_; }
  const col_range_type& cols() const { return cols_; }
  bool empty() const { return rows_.empty() || cols_.empty(); }
  bool is_divisible() const { return rows_.is_divisible() || cols_.is_divisible(); }

 private:
  blocked_range2d(blocked_range2d& r, std::size_t rows_kept, std::size_t cols_kept)
      : rows_(r.rows_), cols_(r.cols_) {
    if (detail::splits_before(rows_, cols_))
      rows_ = row_range_type(r.rows_, rows_kept);
    else
      cols_ = col_range_type(r.cols_, cols_kept);
  }

  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace doall_v0
}  // namespace tbb

#endif
