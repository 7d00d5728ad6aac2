// Finds out whether a program that was run was served by doall, by the marks that its processes
// leave (observe/served.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "process/child.hpp"
#include "process/preload.hpp"
#include "process/program.hpp"

namespace doall::cli {

// A file without a name, to which the processes of one run at a time append.
class served_file {
 public:
  served_file();
  ~served_file();
  served_file(const served_file&) = delete;
  served_file& operator=(const served_file&) = delete;

  // Forgets the last run's marks, and names the file to the next.
  void prepare(environment_changes& environment);

  // Whether any process of the run was served. If the command itself was started under another
  // `doall run`, passes the mark on to that.
  bool served() const;

  // Of the processes that ran something on doall.
  struct ended_processes {
    std::uint32_t unseen = 0;  // that ended by _exit(), exec() or a signal
    std::uint64_t cpu_ns = 0;  // of the others' threads
  };
  ended_processes ended() const;

  // Why nothing of the program was served, as far as can be seen.
  std::string why_not(const program_file& program) const;

  // What there is to say of a program that ended so, and of which no mark is there; `name`: as the
  // user gave it. Empty: it has been said.
  std::string unserved_text(const std::string& name, const program_file& program,
                            const outcome& end) const;

 private:
  std::string text() const;

  int file_;
};

}  // namespace doall::cli
