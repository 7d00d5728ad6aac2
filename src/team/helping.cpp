#include "team/helping.hpp"

namespace doall::team {
namespace {

constinit thread_local helping* of_this_thread = nullptr;

}  // namespace

helping* helping::here() { return of_this_thread; }
void helping::set_here(helping* h) { of_this_thread = h; }

}  // namespace doall::team
