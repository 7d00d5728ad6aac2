// oneTBB's partitioners by their names, for lanes whose loops are templates over them.
#pragma once

#include <tbb/partitioner.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace doall::bench {

template <class Partitioner>
std::string partitioner_name() {
  if constexpr (std::is_same_v<Partitioner, tbb::auto_partitioner>) return "auto_partitioner";
  if constexpr (std::is_same_v<Partitioner, tbb::affinity_partitioner>) {
    return "affinity_partitioner";
  }
  if constexpr (std::is_same_v<Partitioner, tbb::simple_partitioner>) return "simple_partitioner";
  if constexpr (std::is_same_v<Partitioner, tbb::static_partitioner>) return "static_partitioner";
}

// Calls run.template operator()<P>() with that one of the Partitioners, the ones that the loops
// are compiled for. Throws std::invalid_argument when none has the name.
template <class... Partitioner, class Run>
void with_partitioner(const std::string& name, const Run& run) {
  const auto is_called = [&]<class P>() {
    if (name != partitioner_name<P>()) return false;
    run.template operator()<P>();
    return true;
  };
  if (!(is_called.template operator()<Partitioner>() || ...)) {
    throw std::invalid_argument("no partitioner " + name + " here");
  }
}

}  // namespace doall::bench
