// Asks running processes for their reports (observe/live.hpp), and tells what their loops did
// between two answers.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "observe/record.hpp"
#include "report/symbols.hpp"

namespace doall::cli {

inline constexpr std::uint64_t ns_per_s = 1'000'000'000;

struct live_loop {
  std::string where;
  observe::record all;   // its sums since the process began
  observe::record last;  // what they grew by between the last two answers
};

struct live_process {
  std::uint64_t pid = 0;
  std::string program;
  std::uint32_t workers = 0;    // the most that a loop had
  double seconds = 0;           // between the last two answers
  std::uint64_t answer_ns = 0;  // when the last one came, since 1970; 0: none came
  std::vector<live_loop> loops;
};

class live_watch {
 public:
  // Of all processes that have pages there, or of one.
  explicit live_watch(std::filesystem::path folder, pid_t only = 0);

  // Asks every process that is there. It answers as its next loop or region ends.
  void ask();
  // Reads the answers that have come since.
  void read();

  // Those that live. A process has one for each of doall's libraries that it runs loops by.
  std::vector<const live_process*> processes() const;

 private:
  using name = std::string;  // of a page's file

  struct watched {
    std::filesystem::path page;
    std::filesystem::path answer;
    std::uint64_t made_ns = 0;
    std::uint64_t answers = 0;  // that were read
    live_process now;
    std::map<std::string, observe::record> before;  // the last answer's records, by their places
  };

  void find_pages();
  void take(watched& w, observe::report answer, std::uint64_t at_ns);

  std::filesystem::path folder_;
  pid_t only_;        // 0: all
  pid_t only_there_;  // its number in its container
  std::map<name, watched> all_;
  symbol_finder symbols_;
};

// The folder in which that process can be asked. Throws failure (failed), saying what to do, if it
// cannot be.
std::filesystem::path live_folder_of(pid_t pid);

bool is_alive(pid_t pid);

// Now, in nanoseconds since 1970, as files have their times.
std::uint64_t wall_clock_ns();

}  // namespace doall::cli
