// Through the native door; loops.hpp says what the members do.
#pragma once

#include "kernels/cows-common/loops.hpp"
#include "kernels/doall_loops.hpp"

namespace doall::bench {

class native_cows_loops {
 public:
  // The row pointer has the costs of loops that are costed, as it is.
  native_cows_loops(const std::string& text, std::span<const std::uint64_t> row_pointer)
      : uniform_{.how = schedule(schedule_of(loop_kind::uniform, text))},
        costed_{.how = schedule(schedule_of(loop_kind::costed, text)), .costs = row_pointer},
        guarded_{.how = schedule(schedule_of(loop_kind::guarded, text))} {}

  template <class Body>
  void each(loop_kind kind, const char*, std::size_t count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    doall_loops{of(kind)}.each(count, [&body](std::size_t i) { body(i); }, where);
  }

  template <class Body>
  auto sum(const char*, std::size_t count, const Body& body,
           const std::source_location& where = std::source_location::current()) const {
    return doall_loops{uniform_}.sum(count, body, where);
  }

 private:
  const loop_options& of(loop_kind kind) const {
    switch (kind) {
      case loop_kind::uniform: return uniform_;
      case loop_kind::costed: return costed_;
      case loop_kind::guarded: return guarded_;
    }
    return uniform_;
  }

  loop_options uniform_;
  loop_options costed_;
  loop_options guarded_;
};

}  // namespace doall::bench
