// blocked_range3d: the product of three intervals.
#ifndef DOALL_COMPAT_BLOCKED_RANGE3D_H
#define DOALL_COMPAT_BLOCKED_RANGE3D_H

#include "blocked_range.h"

namespace tbb {
inline namespace doall_v0 {

// As blocked_range2d.
template <class PageValue, class RowValue = PageValue, class ColValue = RowValue>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<PageValue>;
  using row_range_type = blocked_range<RowValue>;
  using col_range_type = blocked_range<ColValue>;

  blocked_range3d(PageValue page_begin, PageValue page_end, RowValue row_begin, RowValue row_end,
                  ColValue col_begin, ColValue col_end)
      : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range3d(PageValue page_begin, PageValue page_end,
                  typename page_range_type::size_type page_grainsize, RowValue row_begin,
                  RowValue row_end, typename row_range_type::size_type row_grainsize,
                  ColValue col_begin, ColValue col_end,
                  typename col_range_type::size_type col_grainsize)
      : pages_(page_begin, page_end, page_grainsize),
        rows_(row_begin, row_end, row_grainsize),
        cols_(col_begin, col_end, col_grainsize) {}
  blocked_range3d(const page_range_type& pages, const row_range_type& rows,
                  const col_range_type& cols)
      : pages_(pages), rows_(rows), cols_(cols) {}
  blocked_range3d(blocked_range3d& r, split)
      : blocked_range3d(r, r.pages_.size() / 2, r.rows_.size() / 2, r.cols_.size() / 2) {}
  blocked_range3d(blocked_range3d& r, proportional_split& parts)
      : blocked_range3d(r, page_range_type::kept_of(r.pages_.size(), parts),
                        row_range_type::kept_of(r.rows_.size(), parts),
                        col_range_type::kept_of(r.cols_.size(), parts)) {}

  const page_range_type& pages() const { return pages_; }
  const row_range_type& rows() const { return rows_; }
  const col_range_type& cols() const { return cols_; }
  bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
  bool is_divisible() const {
    return pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible();
  }

 private:
  blocked_range3d(blocked_range3d& r, std::size_t pages_kept, std::size_t rows_kept,
                  std::size_t cols_kept)
      : pages_(r.pages_), rows_(r.rows_), cols_(r.cols_) {
    const bool rows_first = detail::splits_before(rows_, cols_);
    if (rows_first ? detail::splits_before(pages_, rows_) : detail::splits_before(pages_, cols_))
      pages_ = page_range_type(r.pages_, pages_kept);
    else if (rows_first)
      rows_ = row_range_type(r.rows_, rows_kept);
    else
      cols_ = col_range_type(r.cols_, cols_kept);
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace doall_v0
}  // namespace tbb

#endif
