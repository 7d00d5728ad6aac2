#include "process/served.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "observe/other_runtimes.hpp"
#include "observe/served.hpp"
#include "process/dynamic_linker.hpp"
#include "process/failure.hpp"

namespace doall::cli {
namespace {

template <class Visit>
void each_line(std::string_view all, Visit visit) {
  while (!all.empty()) {
    const auto end = all.find('\n');
    visit(all.substr(0, end));
    all = end == std::string_view::npos ? std::string_view{} : all.substr(end + 1);
  }
}

}  // namespace

served_file::served_file() : file_(memfd_create("doall-served", MFD_CLOEXEC)) {
  if (file_ < 0) {
    throw failure(failed, fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  }
}

served_file::~served_file() { close(file_); }

void served_file::prepare(environment_changes& environment) {
  if (ftruncate(file_, 0) != 0) {
    throw failure(failed, fmt::format("cannot empty a file in memory: {}", std::strerror(errno)));
  }
  struct stat made{};
  fstat(file_, &made);
  // Not inherited: programs close what they do not know.
  environment.emplace_back(
      observe::served_file_variable,
      fmt::format("/proc/{}/fd/{}:{}:{}", getpid(), file_, made.st_dev, made.st_ino));
}

std::string served_file::text() const {
  std::string all;
  char part[4096];
  for (;;) {
    const auto size = pread(file_, part, sizeof part, static_cast<off_t>(all.size()));
    if (size <= 0) return all;
    all.append(part, static_cast<std::size_t>(size));
  }
}

bool served_file::served() const {
  bool any = false;
  each_line(text(), [&](std::string_view line) {
    if (!line.starts_with("served ") && !line.starts_with("ended ")) return;
    any = true;
    if (std::getenv(observe::served_file_variable) != nullptr)
      observe::append_to_served(std::string(line) + '\n');
  });
  return any;
}

served_file::ended_processes served_file::ended() const {
  struct process {
    std::uint32_t served = 0;  // more than one if it became another program by exec()
    std::uint32_t ended = 0;
    std::uint64_t cpu_us = 0;
  };
  std::map<std::string, process> all;
  each_line(text(), [&](std::string_view line) {
    std::istringstream in{std::string(line)};
    std::string word;
    std::string pid;
    std::uint64_t cpu_us = 0;
    in >> word >> pid;
    if (word == "served") ++all[pid].served;
    if (word != "ended" || !(in >> cpu_us)) return;
    process& p = all[pid];
    ++p.ended;
    p.cpu_us = std::max(p.cpu_us, cpu_us);
  });
  constexpr std::uint64_t ns_in_us = 1'000;
  ended_processes found;
  for (const auto& [pid, p] : all) {
    found.unseen += p.served - std::min(p.served, p.ended);
    found.cpu_ns += p.cpu_us * ns_in_us;
  }
  return found;
}

std::string served_file::why_not(const program_file& program) const {
  const std::string all = text();
  std::string others;
  std::string idle;
  each_line(all, [&](std::string_view line) {
    for (const auto& [mark, to] : {std::pair{std::string_view("runtime "), &others},
                                   std::pair{std::string_view("idle "), &idle}}) {
      if (!line.starts_with(mark)) continue;
      const std::string path(line.substr(mark.size()));
      if (to->find(path) == std::string::npos) *to += (to->empty() ? "" : ", ") + path;
    }
  });
  if (!others.empty()) return "it brings a runtime that doall does not replace: " + others;
  if (!program.own_runtime.empty()) {
    return fmt::format("its OpenMP runtime is linked into it ({})", program.own_runtime);
  }
  if (all.empty()) {
    if (const std::string why = linker_complaint(program); !why.empty()) {
      return "the dynamic linker cannot load the library there: " + why;
    }
    return "the library was loaded into none of its processes, which are linked statically, "
           "privileged or of another C library";
  }
  const std::string nothing = "it began no parallel region, worksharing loop or task";
  if (idle.empty()) return nothing;
  return nothing + "; what it calls of " + idle + " is doall's";
}

std::string served_file::unserved_text(const std::string& name, const program_file& program,
                                       const outcome& end) const {
  if (!end.executed) return "";
  if (end.user != geteuid()) {
    return fmt::format(
        "it is not known whether anything of {} ran on doall: it ended as user {}, which may not "
        "leave marks and reports for the command of user {}; start the command as that user",
        name, end.user, geteuid());
  }
  return fmt::format("nothing of {} ran on doall: {}", name, why_not(program));
}

}  // namespace doall::cli
