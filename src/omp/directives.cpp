// The error directive.
#include <string>

#include "base/env.hpp"
#include "omp/fatal.hpp"
#include "omp/ompt/hooks.hpp"

namespace {

// A length of -1 means a terminated string; a null message means none.
std::string directive_text(const char* message, std::size_t length) {
  std::string text = "error directive";
  if (message == nullptr) return text;
  text += ": ";
  return length == static_cast<std::size_t>(-1) ? text + message : text.append(message, length);
}

}  // namespace

extern "C" {

void GOMP_warning(const char* message, std::size_t length) {
  doall::omp::ompt::error(ompt_warning, message, length);
  doall::base::warn(directive_text(message, length));
}
void GOMP_error(const char* message, std::size_t length) {
  doall::omp::ompt::error(ompt_fatal, message, length);
  doall::omp::fatal(directive_text(message, length));
}

}  // extern "C"
