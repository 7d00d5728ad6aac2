#include "base/unload.hpp"

namespace doall::base {

bool (*team_at_work)() = nullptr;

}  // namespace doall::base
