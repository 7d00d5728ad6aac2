#include "threads/helping.hpp"

namespace doall::team {
namespace {

constinit thread_local helping::chance of_this_thread;

}  // namespace

helping::chance helping::here() { return of_this_thread; }
void helping::set_here(chance c) { of_this_thread = c; }

}  // namespace doall::team
