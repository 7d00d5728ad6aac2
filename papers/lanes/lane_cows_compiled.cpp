// COWS's programs in C with the costs that doall's plugin finds, and without its optimisations: the
// object cows_programs.c once for each setting (cows_compiled.hpp).
//
//   lane-cows-compiled SIZE [FOLDER]     of the graphs' files
#include "lanes/cows_compiled.hpp"
#include "lanes/cows_openmp.hpp"

namespace {

using namespace doall::bench;

const cows_program_set* programs_now = &cows_programs_all;

// Throws std::invalid_argument for what is no setting.
void use_setting(const std::string& text) {
  const compiled_setting& found = compiled_setting_of(text);
  programs_now = found.programs;
  use_openmp_schedule(found.schedule);
}

}  // namespace

int main(int argc, char** argv) {
  return serve_cows_programs(argc, argv, programs_now, use_setting,
                             [](const program&) { return wsrw_settings(); });
}
