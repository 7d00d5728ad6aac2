#include "report/live.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_text.hpp"
#include "observe/live.hpp"
#include "process/failure.hpp"
#include "report/report.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;
using observe::record;

constexpr std::string_view page_begin = "page.";

std::uint64_t to_ns(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * ns_per_s + static_cast<std::uint64_t>(t.tv_nsec);
}

// The process of a page's file; 0: it is not one.
pid_t pid_of(std::string_view file) {
  if (!file.starts_with(page_begin)) return 0;
  pid_t pid = 0;
  const char* const begin = file.data() + page_begin.size();
  const auto [end, error] = std::from_chars(begin, file.data() + file.size(), pid);
  return error == std::errc() ? pid : 0;
}

// When the answer was put in place; 0: there is none.
std::uint64_t time_of(const fs::path& answer) {
  struct stat found{};
  return stat(answer.c_str(), &found) == 0 ? to_ns(found.st_mtim) : 0;
}

std::string place_of(const record& r) {
  return fmt::format("{} {} {} {:x} {} {} {}", name_of(r.kind), r.door, r.module, r.offset, r.file,
                     r.line, r.function);
}

// What the sums have grown by.
record growth(const record& now, const record& before) {
  record grown = now;
  observe::each_number([&](const char*, auto number) {
    if constexpr (std::is_same_v<decltype(number), std::uint64_t record::*>)
      grown.*number -= std::min(grown.*number, before.*number);
  });
  return grown;
}

// The variable's value in the environment that a process was started with; empty: it has none.
std::string started_with(const std::string& environment, std::string_view variable) {
  const std::string wanted = fmt::format("{}=", variable);
  for (std::string_view rest = environment; !rest.empty();) {
    const auto end = rest.find('\0');
    const std::string_view one = rest.substr(0, end);
    if (one.starts_with(wanted)) return std::string(one.substr(wanted.size()));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return "";
}

// The number that the process knows itself by.
pid_t number_in_its_container(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(line.find(':') + 1));
    for (pid_t inner = 0; numbers >> inner;) pid = inner;
  }
  return pid;
}

}  // namespace

live_watch::live_watch(fs::path folder, pid_t only)
    : folder_(std::move(folder)), only_(only), only_there_(number_in_its_container(only)) {}

void live_watch::find_pages() {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string file = entry.path().filename().string();
    const pid_t pid = pid_of(file);
    if (pid == 0 || (only_ != 0 && pid != only_there_) || all_.contains(file)) continue;
    std::uint64_t numbers[2] = {};  // of observe::live_question
    std::ifstream in(entry.path(), std::ios::binary);
    // It is not written yet: the next time.
    if (!in.read(reinterpret_cast<char*>(numbers), sizeof numbers)) continue;
    watched w;
    w.page = entry.path();
    w.answer = folder_ / ("answer." + file.substr(page_begin.size()));
    w.made_ns = numbers[1];
    w.now.pid = static_cast<std::uint64_t>(only_ != 0 ? only_ : pid);
    all_.emplace(file, std::move(w));
  }
  std::erase_if(all_,
                [](const auto& one) { return !is_alive(static_cast<pid_t>(one.second.now.pid)); });
}

void live_watch::ask() {
  find_pages();
  for (const auto& [file, w] : all_) {
    const int page = open(w.page.c_str(), O_RDWR | O_CLOEXEC);
    if (page < 0) continue;
    std::uint64_t asked = 0;
    if (pread(page, &asked, sizeof asked, 0) == sizeof asked) {
      ++asked;
      [[maybe_unused]] const auto written = pwrite(page, &asked, sizeof asked, 0);
    }
    close(page);
  }
}

void live_watch::read() {
  for (auto& [file, w] : all_) {
    const std::uint64_t at_ns = time_of(w.answer);
    if (at_ns == 0 || at_ns == w.now.answer_ns) continue;
    try {
      take(w, observe::read_report(base::contents(w.answer).value_or("")), at_ns);
    } catch (const std::runtime_error&) {  // the process was killed as it wrote: no answer
    }
  }
}

void live_watch::take(watched& w, observe::report answer, std::uint64_t at_ns) {
  add_symbols(answer, symbols_);
  const std::uint64_t since_ns = w.now.answer_ns == 0 ? w.made_ns : w.now.answer_ns;
  w.now.seconds = static_cast<double>(at_ns - std::min(at_ns, since_ns)) / ns_per_s;
  w.now.answer_ns = at_ns;
  w.now.program = answer.program;
  w.now.loops.clear();
  std::map<std::string, record> records;
  std::map<std::string, int> alike;
  for (record& r : answer.records) {
    std::string place = place_of(r);
    if (const int nth = alike[place]++; nth > 0) place += fmt::format(" {}", nth);
    const auto before = w.before.find(place);
    w.now.workers = std::max(w.now.workers, r.workers);
    w.now.loops.push_back(
        {where_text(r), r, growth(r, before == w.before.end() ? record{} : before->second)});
    records.emplace(std::move(place), std::move(r));
  }
  w.before = std::move(records);
}

std::vector<const live_process*> live_watch::processes() const {
  std::vector<const live_process*> found;
  for (const auto& [file, w] : all_) found.push_back(&w.now);
  return found;
}

fs::path live_folder_of(pid_t pid) {
  const fs::path of_process = fmt::format("/proc/{}", pid);
  const auto refuse = [&](const std::string& why) {
    throw failure(failed, fmt::format("process {} {}", pid, why));
  };
  constexpr const char* what_to_do =
      "start it by 'doall top -- PROGRAM', or by 'doall run --report', to be looked at later";
  if (!is_alive(pid)) refuse("does not exist");
  const std::string environment = base::contents(of_process / "environ").value_or("");
  if (environment.empty() && access((of_process / "environ").c_str(), R_OK) != 0)
    refuse("belongs to another user, expected one of yours");
  const std::string folder = started_with(environment, observe::live_folder_variable);
  const std::string modules = base::contents(of_process / "maps").value_or("");
  const bool has_doall = modules.find("/doall/omp/") != std::string::npos ||
                         modules.find("/libdoall") != std::string::npos;
  if (!has_doall && folder.empty())
    refuse(fmt::format("does not run on doall: none of its libraries is loaded; {}", what_to_do));
  if (folder.empty())
    refuse(fmt::format("runs on doall, but does not count its loops; {}", what_to_do));
  // It may be in a container, which has other folders.
  std::error_code ignored;
  const fs::path seen = of_process / "root" / fs::path(folder).relative_path();
  if (!fs::is_directory(seen, ignored)) {
    refuse(fmt::format("was started with {}={}, which is no folder (any more); {}",
                       observe::live_folder_variable, folder, what_to_do));
  }
  return seen;
}

bool is_alive(pid_t pid) {
  if (pid <= 0 || (kill(pid, 0) != 0 && errno != EPERM)) return false;
  // One that has ended and that its parent has not asked about. The name before may hold anything.
  const std::string state = base::contents(fmt::format("/proc/{}/stat", pid)).value_or("");
  const auto name_end = state.rfind(')');
  return name_end == std::string::npos || state.compare(name_end, 3, ") Z") != 0;
}

std::uint64_t wall_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return to_ns(now);
}

}  // namespace doall::cli
