// Identifies a thread among all that live, without a call.
#pragma once

#include "doall/detail/processor.hpp"

namespace doall::base {

using detail::thread_pointer;

}  // namespace doall::base
