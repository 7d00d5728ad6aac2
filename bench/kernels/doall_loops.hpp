// The loops of a program through the native door; serial_loops.hpp says what they do.
#pragma once

#include <doall/doall.hpp>

#include <cstddef>
#include <functional>
#include <source_location>

namespace doall::bench {

struct doall_loops {
  const loop_options& options;

  template <class Body>
  void each(std::size_t count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    parallel_for(std::size_t{0}, count, body, options, where);
  }

  template <class Body>
  auto sum(std::size_t count, const Body& body,
           const std::source_location& where = std::source_location::current()) const {
    return parallel_reduce(std::size_t{0}, count, decltype(body(count)){}, body, std::plus<>(),
                           options, where);
  }
};

}  // namespace doall::bench
