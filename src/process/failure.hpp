// How the command fails, and the statuses that it ends with.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace doall::cli {

using arguments = std::vector<std::string>;

// Exit statuses that mean something to a caller; the last two are the shell's.
enum exit_status : int {
  succeeded = 0,
  failed = 1,
  bad_usage = 2,
  cannot_execute = 126,
  not_found = 127,
};

// Ends the command with `status` after "doall: <what>" on standard error.
struct failure : std::runtime_error {
  failure(exit_status s, const std::string& what) : std::runtime_error(what), status(s) {}
  exit_status status;
};

// Ends the command by that signal, after its temporary files are gone.
struct interrupted {
  int signal;
};

}  // namespace doall::cli
