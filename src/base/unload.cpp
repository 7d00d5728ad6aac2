#include "base/unload.hpp"

namespace doall::base {

bool (*workers_alive)() = nullptr;

}  // namespace doall::base
