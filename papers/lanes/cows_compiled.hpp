// COWS's programs in C as doall's plugin compiles them: with all that it finds of costs, and
// without COWS's optimisations (papers/CMakeLists.txt has the options).
#pragma once

#include <stdexcept>
#include <string>

#include "kernels/cows_kernel.hpp"
#include "kernels/cows_programs.hpp"

extern "C" {
extern const cows_program_set cows_programs_all;
extern const cows_program_set cows_programs_opt1;  // without Opt1: -fno-doall-kept
extern const cows_program_set cows_programs_opt2;  // -fno-doall-uniform
extern const cows_program_set cows_programs_opt3;  // -fno-doall-guards
extern const cows_program_set cows_programs_none;  // without these three
}

namespace doall::bench {

struct compiled_setting {
  std::string name;  // of wsrw_settings()
  const cows_program_set* programs;
  std::string schedule;  // Opt4 is the schedule's
};

// Throws std::invalid_argument for what is none.
inline const compiled_setting& compiled_setting_of(const std::string& name) {
  static const compiled_setting all[] = {{"wsrw", &cows_programs_all, "wsrw"},
                                         {"wsrw-opt1", &cows_programs_opt1, "wsrw"},
                                         {"wsrw-opt2", &cows_programs_opt2, "wsrw"},
                                         {"wsrw-opt3", &cows_programs_opt3, "wsrw"},
                                         {"wsrw-opt4", &cows_programs_all, "wsrw,cut=walk"},
                                         {"wsrw-none", &cows_programs_none, "wsrw,cut=walk"}};
  for (const compiled_setting& one : all) {
    if (one.name == name) return one;
  }
  throw std::invalid_argument("no setting \"" + name + "\", expected one of wsrw's");
}

}  // namespace doall::bench
