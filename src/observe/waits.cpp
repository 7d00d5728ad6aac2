#include "observe/waits.hpp"

namespace doall::observe {

constinit thread_local waits waits::here;

}  // namespace doall::observe
