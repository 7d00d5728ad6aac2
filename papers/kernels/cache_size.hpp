// How large this machine's caches are.
#pragma once

#include <cstddef>

namespace doall::bench {

// All last-level caches together, in bytes, as Linux or the C library tells; 16 MB, as one
// of hybrid's machine has, when neither does. Of the whole machine: a lane's own threads may be
// pinned, and all lanes must come to the same.
std::size_t last_level_cache_bytes();

}  // namespace doall::bench
