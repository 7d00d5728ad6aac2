// What `auto` has chosen for a program's loops, and its file: the runtime leaves it when a process
// ends, and reads it in another run of the program (choices.hpp). The command `doall` makes JSON of
// it for people, and turns that into such a file again. The runtime has no JSON.
//
// The file: text, fields separated by tabs; the first line names the format and its version.
//   threads                                                    the default team size
//   site, module, offset, file, line, iteration_ns, burden_ns, inside    times as a double's bits
//   cuts, schedule, workers, begins                            of the last site; any number of them
//   end, the number of sites                                   a file without it was cut off
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace doall::team {

// Where a schedule cuts the loop among that many workers.
struct kept_cuts {
  std::string schedule;
  std::uint32_t workers = 0;
  // Where each block but the first begins, in units of 2^-64 of the loop; empty: even partitions.
  std::vector<std::uint64_t> begins;
};

// What one site has chosen.
struct kept_site {
  std::string module;        // the name of the file that holds its code, without folders
  std::uint64_t offset = 0;  // of the code in it
  std::string file;          // of the source, if the loop tells it
  std::uint32_t line = 0;    // likewise
  double iteration_ns = 0;   // 0: there are only cuts
  double burden_ns = 0;      // what it was compared with
  std::uint8_t inside = 0;   // loop_cost::shape()
  std::vector<kept_cuts> cuts;
};

struct kept_choices {
  std::uint32_t threads = 0;
  std::vector<kept_site> sites;
};

std::string choices_text(const kept_choices& all);

// Throws std::runtime_error, naming the line, when the text is not such a file, or says what no
// process can have chosen.
kept_choices read_choices(std::string_view text);

// The variables that name the folder in which each process leaves its choices, choices.<pid>, and
// the file of those that it takes. `doall run` sets them.
inline constexpr const char* choices_folder_variable = "DOALL_CHOICES_FOLDER";
inline constexpr const char* choices_file_variable = "DOALL_CHOICES_FILE";

}  // namespace doall::team
