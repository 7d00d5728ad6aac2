#include "report/model_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file_text.hpp"

namespace doall::cli {

sim::machine find_machine(const std::string& name) {
  if (std::ranges::count(sim::machine_names(), name) == 0) {
    if (const auto text = base::contents(name)) return sim::read_machine(name, *text);
  }
  return sim::find_machine(name);
}

std::string names_of_machines() {
  std::string text;
  for (const std::string_view name : sim::machine_names()) text += fmt::format(" {}", name);
  return text;
}

}  // namespace doall::cli
