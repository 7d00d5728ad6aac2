#include "driver/stealing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/paced_measurement.hpp"

namespace doall::bench {
namespace {

struct request {
  run_options asked;
  program_choice choice;
  double minutes = 5;
};

// False after --help.
bool read_request(const stealing_benchmark& b, const cli::arguments& args, request& r) {
  cli::option_parser options("bench " + b.name, "[OPTIONS]", b.purpose,
                             "Exit status 1 also when an answer is wrong.");
  add_paced_options(options, r.asked, r.minutes);
  add_program_options(options, r.choice);
  add_contest_options(options, r.asked.setting);
  return options.read(args);
}

contenders start_lanes(const stealing_benchmark& b, const contest& c, const std::string& size) {
  roster all(c);
  add_program_lanes(all, c, kernel_lanes, {b.name, size});
  if (b.add_lanes != nullptr) b.add_lanes(all, c, size);
  if (c.wants("doall")) {
    all.add({.runtime = "doall",
             .door = one_worker_door,
             .program = std::string(kernel_lanes) + "-doall",
             .arguments = {b.name, size, b.schedule},
             .variables = {"DOALL_NUM_THREADS=1"}});
  }
  return all.take();
}

// Nobody, when none of those that were asked for can take part.
contenders start_side_lanes(const stealing_benchmark& b, const contest& c,
                            const std::string& size) {
  if (b.add_side_lanes == nullptr) return {};
  roster all(c);
  b.add_side_lanes(all, c, size);
  try {
    return all.take();
  } catch (const lane_error&) {
    return {};
  }
}

// The programs of these lanes that are chosen. What names some of the side lanes' is taken out of
// the choice, so that the others' names are all that is left to be known.
std::vector<std::string> side_programs_of(program_choice& choice,
                                          const std::vector<contender>& side) {
  if (side.empty()) return {};
  const std::vector<std::string>& all = side.front().lane->offers();
  if (choice.programs.empty()) return all;
  std::vector<std::string> chosen;
  std::erase_if(choice.programs, [&](const std::string& wanted) {
    const std::size_t before = chosen.size();
    std::ranges::copy_if(all, std::back_inserter(chosen),
                         [&](const std::string& name) { return name.starts_with(wanted); });
    return chosen.size() > before;
  });
  return chosen;
}

std::vector<std::string> programs_of(const stealing_benchmark& b, const program_choice& choice,
                                     const std::vector<contender>& present) {
  std::vector<std::string> programs = chosen_programs(choice, present);
  if (choice.programs.empty()) {
    std::erase_if(programs, [&b](const std::string& name) { return !b.runs_by_default(name); });
  }
  return programs;
}

void run(const stealing_benchmark& b, const cli::arguments& args) {
  request r{.asked = {.setting = default_contest(program_runtimes())},
            .choice = {.by_default = b.by_default}};
  if (!read_request(b, args, r)) return;
  const contest& setting = r.asked.setting;
  json_file json(r.asked.json_file);
  contenders all = start_lanes(b, setting, r.choice.size);
  contenders side = start_side_lanes(b, setting, r.choice.size);
  stealing_report made{b, r.asked, r.choice, std::move(all.left_out)};
  std::ranges::move(side.left_out, std::back_inserter(made.left_out));

  const bool names_some = !r.choice.programs.empty();
  const std::vector<std::string> side_programs = side_programs_of(r.choice, side.present);
  std::vector<std::string> programs;
  if (!names_some || !r.choice.programs.empty()) {
    programs = programs_of(b, r.choice, all.present);
  }
  fmt::print("{}", header_text(made));

  paced_measurement rounds(made, r.minutes, programs.size() + side_programs.size());
  rounds.measure_all(programs, all.present, made.programs);
  rounds.measure_all(side_programs, side.present, made.side);
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_stealing_benchmark(const stealing_benchmark& b, int argc, char** argv) {
  return run_benchmark("bench " + b.name, argc, argv,
                       [&b](const cli::arguments& args) { run(b, args); });
}

}  // namespace doall::bench
