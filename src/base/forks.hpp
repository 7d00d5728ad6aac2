// How often the process has become the child of a fork. A thread that waits for another, which was
// not started since, waits in vain. (An inline variable would be unique in the process, and its
// library could never be unloaded.)
#pragma once

#include <cstdint>

namespace doall::base {

// Written while there is no other thread.
#if defined(DOALL_SYNC_MODEL)
inline constexpr std::uint64_t forks = 0;
#else
extern std::uint64_t forks;
#endif

}  // namespace doall::base
