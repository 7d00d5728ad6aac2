#include "kernels/cows-components/kernel.hpp"

namespace doall::bench {

label_flow::label_flow(shared_ordered_graph g)
    : cows_kernel(std::move(g)), labels_(vertices()), new_labels_(vertices()) {}

void label_flow::reset() { std::ranges::fill(labels_, no_vertex); }

}  // namespace doall::bench
