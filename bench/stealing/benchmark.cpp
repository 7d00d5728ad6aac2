#include "stealing/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/load_watch.hpp"
#include "stealing/pace.hpp"
#include "stealing/report.hpp"

namespace doall::bench {
namespace {

struct request {
  run_options asked;  // 0 rounds: as many as there is time for
  program_choice choice;
  double minutes = 5;
};

// False after --help.
bool read_request(const stealing_benchmark& b, const cli::arguments& args, request& r) {
  cli::option_parser options("bench " + b.name, "[OPTIONS]", b.purpose,
                             "Exit status 1 also when an answer is wrong.");
  add_run_options(
      options, r.asked,
      fmt::format("what --minutes has room for,\nat most {} a program", pace::rounds_max));
  options
      .add_option("--minutes", r.minutes,
                  "About how long all rounds may take, unless --rounds says how many; by\n"
                  "default 5. Programs that are judged have 6 or more in any case, others 3")
      ->check(CLI::Range(0.1, 10'000.0).description(""))
      ->type_name("M");
  add_program_options(options, r.choice);
  add_contest_options(options, r.asked.setting);
  return options.read(args);
}

contenders start_lanes(const stealing_benchmark& b, const contest& c, const std::string& size) {
  roster all(c);
  add_program_lanes(all, c, b.name, {size});
  if (b.add_lanes != nullptr) b.add_lanes(all, c, size);
  if (c.wants("doall")) {
    all.add({.runtime = "doall",
             .door = one_worker_door,
             .program = b.name + "-lane-doall",
             .arguments = {size, b.schedule},
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

// Some programs in turn.
class measurement {
 public:
  measurement(const stealing_benchmark& b, const request& r, std::size_t programs)
      : b_(b), asked_(r.asked), pace_(r.minutes, programs) {}

  stealing_result of(const std::string& program, const std::vector<contender>& present) {
    const unsigned rounds = asked_.rounds > 0 ? asked_.rounds : paced(program, present);
    stealing_result r(measure(program, present, rounds, {}, random_, show_progress));
    if (b_.tells_affinity) ask_affinity(r);
    show_progress("");
    return r;
  }

 private:
  unsigned paced(const std::string& program, const std::vector<contender>& present) {
    constexpr unsigned judged_min = 6;  // for an interval
    constexpr unsigned shown_min = 3;
    const lane_process& first = *present.front().lane;
    show_progress(program + ": one run");
    std::istringstream answer(
        present.front().lane->ask(fmt::format("runs {} serial 1 1", program)));
    double serial_ns = 0;
    if (!(answer >> serial_ns)) throw lane_error(first.name() + ": " + answer.str());
    const std::vector<entrant> entrants = entrants_of(program, present);
    const bool judged = b_.judge != nullptr || std::ranges::any_of(entrants, [&](const entrant& e) {
                          return b_.most(program, e).has_value();
                        });
    return pace_.rounds(serial_ns, present.size(), entrants.size(),
                        judged ? judged_min : shown_min);
  }

  // By two more runs of each, which are not timed.
  void ask_affinity(stealing_result& r) const {
    for (const series& s : r.all) {
      if (!s.of.is_ours() || s.of.who->door == one_worker_door) continue;
      std::istringstream answer(
          s.of.who->lane->ask(fmt::format("check {} {}", r.program, s.of.schedule)));
      std::string verdict;
      double part = 0;
      if (!(answer >> verdict >> part) || verdict != "ok") {
        throw lane_error(fmt::format("{} under {}, {}: {}", r.program, s.of.schedule,
                                     s.of.who->lane->name(), answer.str()));
      }
      r.stayed[name_of(s.of)] = part;
    }
  }

  const stealing_benchmark& b_;
  const run_options& asked_;
  pace pace_;
  base::rng random_{1};
};

void run(const stealing_benchmark& b, const cli::arguments& args) {
  request r{.asked = {.setting = default_contest(program_runtimes()), .rounds = 0},
            .choice = {.by_default = b.by_default}};
  if (!read_request(b, args, r)) return;
  json_file json(r.asked.json_file);
  contenders all = start_lanes(b, r.asked.setting, r.choice.size);
  contenders side = start_side_lanes(b, r.asked.setting, r.choice.size);
  stealing_report made{b, r.asked, r.choice, std::move(all.left_out)};
  std::ranges::move(side.left_out, std::back_inserter(made.left_out));

  const bool names_some = !r.choice.programs.empty();
  const std::vector<std::string> side_programs = side_programs_of(r.choice, side.present);
  std::vector<std::string> programs;
  if (!names_some || !r.choice.programs.empty()) {
    programs = programs_of(b, r.choice, all.present);
  }
  fmt::print("{}", header_text(made));

  measurement rounds(b, r, programs.size() + side_programs.size());
  const auto measure_all = [&](const std::vector<std::string>& names,
                               const std::vector<contender>& present,
                               std::vector<stealing_result>& results) {
    const load_watch load(present);
    for (const std::string& program : names) {
      results.push_back(rounds.of(program, present));
      fmt::print("{}", to_text(made, results.back()));
      std::fflush(stdout);
    }
    if (!names.empty()) made.others_share = std::max(made.others_share, load.others_share());
  };
  measure_all(programs, all.present, made.programs);
  measure_all(side_programs, side.present, made.side);
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_stealing_benchmark(const stealing_benchmark& b, int argc, char** argv) {
  return run_benchmark("bench " + b.name, argc, argv,
                       [&b](const cli::arguments& args) { run(b, args); });
}

}  // namespace doall::bench
