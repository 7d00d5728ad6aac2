// The handler of libdoall-omp.so's own operator new; libdoall.so has another one.
#include "base/no_memory.hpp"

#if defined(DOALL_OWN_LIBSTDCXX)
namespace {

[[gnu::constructor]] void handle_no_memory() { std::set_new_handler(doall::base::no_memory); }

}  // namespace
#endif
