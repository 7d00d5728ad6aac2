#include "driver/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "settings/settings.hpp"
#include "topology/topology.hpp"

namespace doall::bench {

using cli::failure;

namespace {

std::map<std::string_view, experiment::body>& table() {
  static std::map<std::string_view, experiment::body> all;
  return all;
}

}  // namespace

experiment::experiment(std::string_view name, body run) { table().emplace(name, run); }

const std::map<std::string_view, experiment::body>& all_experiments() { return table(); }

contest default_contest(std::vector<std::string> runtimes) {
  return {.threads = team::environment().threads,
          .cpus = topology::pin_order(),
          .runtimes = std::move(runtimes)};
}

void add_contest_options(cli::option_parser& options, contest& c) {
  options
      .add_option_function(
          "--threads", [&](const std::string& text) { c.threads = cli::parse_threads(text); },
          fmt::format("Threads a loop has; by default {} ({})", c.threads,
                      team::environment().threads_why))
      .shown_as("P");
  add_runtimes_option(options, c);
  options.add_flag_callback("--pin", [&] { c.pinned = true; }, "Pins threads; the default");
  options.add_flag_callback("--no-pin", [&] { c.pinned = false; }, "Does not");
}

void add_runtimes_option(cli::option_parser& options, contest& c) {
  options
      .add_option("--runtimes", c.runtimes,
                  fmt::format("Some of {}; by default all", fmt::join(c.runtimes, ",")))
      .parted_by(',')
      .one_of(c.runtimes)
      .shown_as("LIST");
}

void add_rounds_option(cli::option_parser& options, run_options& o, const std::string& by_default) {
  options
      .add_option("--rounds", o.rounds,
                  fmt::format("Rounds, each of everybody once; by default {}",
                              by_default.empty() ? std::to_string(o.rounds) : by_default))
      .between(1U, 100'000U)
      .shown_as("N");
}

void add_json_option(cli::option_parser& options, run_options& o) {
  options.add_option("--json", o.json_file, "Writes the numbers to FILE as well").shown_as("FILE");
}

void add_svg_option(cli::option_parser& options, run_options& o, const std::string& what) {
  options.add_option("--svg", o.svg_file, "Draws " + what).shown_as("FILE");
}

void add_programs_option(cli::option_parser& options, std::vector<std::string>& programs,
                         const std::string& by_default) {
  options.add_option("--programs", programs, "Those whose names begin so; by default " + by_default)
      .parted_by(',')
      .shown_as("LIST");
}

void add_minutes_option(cli::option_parser& options, double& minutes, const std::string& text) {
  options
      .add_option("--minutes", minutes,
                  "About how long all rounds may take, unless --rounds says how many; by\n" + text)
      .between(0.1, 10'000.0)
      .shown_as("M");
}

std::vector<std::string> chosen_of(const std::vector<std::string>& all,
                                   const std::vector<std::string>& wanted) {
  if (wanted.empty()) return all;
  std::vector<std::string> chosen;
  for (const std::string& beginning : wanted) {
    const std::size_t before = chosen.size();
    std::ranges::copy_if(all, std::back_inserter(chosen),
                         [&](const std::string& name) { return name.starts_with(beginning); });
    if (chosen.size() > before) continue;
    throw failure(cli::bad_usage,
                  fmt::format("unknown program \"{}\", expected the beginning of one of: {}",
                              beginning, fmt::join(all, ", ")));
  }
  return chosen;
}

namespace {

std::uint64_t machine_busy_ns() {
  // cpu  user nice system idle iowait irq softirq steal; proc(5)
  std::ifstream stat("/proc/stat");
  std::string word;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0,
                steal = 0;
  stat >> word >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  const auto ticks_a_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return (user + nice + system + irq + softirq + steal) * (1'000'000'000 / ticks_a_second);
}

}  // namespace

load_watch::load_watch(const std::vector<contender>& present)
    : present_(present),
      begin_ns_(base::now_ns()),
      busy_ns_(machine_busy_ns()),
      own_ns_(own_cpu_ns()) {}

std::uint64_t load_watch::own_cpu_ns() const {
  std::uint64_t sum_ns = cpu_ns_of(CLOCK_PROCESS_CPUTIME_ID);
  rusage ended{};  // programs that were run to their end
  getrusage(RUSAGE_CHILDREN, &ended);
  for (const timeval& t : {ended.ru_utime, ended.ru_stime})
    sum_ns += static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
              static_cast<std::uint64_t>(t.tv_usec) * 1'000;
  for (const contender& c : present_) sum_ns += c.lane->cpu_ns();
  return sum_ns;
}

double load_watch::others_share() const {
  const auto own_ns = static_cast<double>(own_cpu_ns() - own_ns_);
  const auto busy_ns = static_cast<double>(machine_busy_ns() - busy_ns_);
  const auto cpu_ns = static_cast<double>(base::now_ns() - begin_ns_) *
                      static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::clamp((busy_ns - own_ns) / cpu_ns, 0.0, 1.0);
}

void measure_rounds(outcome& made, const std::function<void(base::rng&)>& round) {
  const load_watch load(made.who.present);
  base::rng random(1);
  for (unsigned r = 0; r < made.asked.rounds; ++r) {
    show_progress("rounds", r, made.asked.rounds);
    round(random);
  }
  made.others_share = load.others_share();
  show_progress("");
}

std::string threads_text(const contest& c) {
  return fmt::format("{} threads{}", c.threads, c.pinned ? ", pinned" : "");
}

std::string peers_text(const outcome& o) {
  std::vector<std::string> peers;
  for (const auto& [runtime, version] : peer_versions(o.who.present)) {
    peers.push_back(runtime == "tbb" ? version : fmt::format("{} of {}", runtime, version));
  }
  std::string text;
  if (!peers.empty()) text = fmt::format("Peers: {}\n", fmt::join(peers, ", "));
  for (const std::string& who : o.who.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string load_text(double others_share) {
  return fmt::format("Other programs used {:.0f}% of the machine's CPU time meanwhile{}\n",
                     others_share * 100,
                     others_share > 0.05 ? ": repeat this on a quiet machine" : "");
}

std::string machine_name() {
  utsname system{};
  uname(&system);
  std::string processor = system.machine;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos || !line.starts_with("model name")) continue;
    processor = line.substr(colon + 2);
    break;
  }
  return processor + ", " + system.sysname + " " + system.release;
}

nlohmann::ordered_json to_json(const outcome& o, const std::string& name) {
  return {{"schema", "doall-bench-" + name + "/1"},
          {"machine", machine_name()},
          {"threads", o.asked.setting.threads},
          {"pinned", o.asked.setting.pinned},
          {"others_cpu_share", o.others_share},
          {"peers", peer_versions(o.who.present)},
          {"left_out", o.who.left_out}};
}

}  // namespace doall::bench
