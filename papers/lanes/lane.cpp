#include "lanes/lane.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "kernels/harness.hpp"

namespace doall::bench {
namespace {

// Keeps the program that was last asked for: the driver asks for one after the other.
class conversation {
 public:
  conversation(const lane_door& door, size s) : door_(door), size_(s) {}

  std::string answer(const std::string& request) {
    std::istringstream fields(request);
    std::string verb;
    std::string name;
    fields >> verb;
    try {
      if (const auto own = door_.verbs.find(verb); own != door_.verbs.end()) {
        forget();
        return own->second(fields);
      }
      fields >> name;
      if (verb == "schedules") return schedules(name);
      std::string schedule;
      if (!(fields >> schedule)) return "bad request: " + request;
      take(name);
      const way how = schedule == "serial" ? way::serial : way::parallel;
      if (how == way::parallel) door_.use(schedule);
      if (verb == "check") return check(how);
      if (verb == "time") return time(how);
      std::size_t runs_min = 0;
      std::size_t runs_max = 0;
      if (verb == "runs" && fields >> runs_min >> runs_max) return runs(how, runs_min, runs_max);
      return "bad request: " + request;
    } catch (const std::exception& e) {
      return e.what();
    }
  }

 private:
  const program& find(const std::string& name) const {
    const auto found = std::ranges::find(door_.programs, name, &program::name);
    if (found == door_.programs.end()) throw std::invalid_argument("no program " + name);
    return *found;
  }

  std::string schedules(const std::string& name) const {
    std::string line;
    for (const std::string& schedule : door_.schedules(find(name))) line += schedule + ' ';
    return line;
  }

  void take(const std::string& name) {
    if (taken_ && name_ == name) return;
    forget();
    taken_ = std::make_unique<harness>(find(name), size_, door_.warm_up);
    name_ = name;
  }

  // Two programs may be too large.
  void forget() {
    taken_.reset();
    name_.clear();
  }

  std::string check(way how) { return "ok " + std::to_string(taken_->check(how)); }

  std::string time(way how) {
    std::ostringstream line;
    for (const run_record& run : taken_->time(how)) line << whole(run.total_ns) << ' ';
    return line.str();
  }

  std::string runs(way how, std::size_t runs_min, std::size_t runs_max) {
    std::ostringstream line;
    for (const run_record& run : taken_->time(how, runs_min, runs_max)) {
      line << whole(run.total_ns) << ' ';
      if (!run.loops || run.loops->fine.loops() == 0) {
        line << "0 0 0 0 0 0 ";
        continue;
      }
      const loop_times& fine = run.loops->fine;
      line << whole(fine.sum_ns()) << ' ' << whole(run.loops->coarse.sum_ns()) << ' '
           << fine.loops() << ' ' << fine.short_loops() << ' ' << whole(fine.least_ns()) << ' '
           << whole(fine.most_ns()) << ' ';
    }
    return line.str();
  }

  static std::uint64_t whole(double ns) { return static_cast<std::uint64_t>(ns); }

  const lane_door& door_;
  size size_;
  std::unique_ptr<harness> taken_;
  std::string name_;
};

}  // namespace

int serve(const std::string& size, const lane_door& door) {
  if (size != "small" && size != "paper") {
    std::cerr << "bad size \"" << size << "\", expected small or paper; nothing was run\n";
    return 2;
  }
  std::cout << door.library << '\t' << door.threads;
  for (const program& p : door.programs) std::cout << '\t' << p.name;
  std::cout << '\n' << std::flush;
  conversation now(door, size == "small" ? bench::size::small : bench::size::paper);
  for (std::string request; std::getline(std::cin, request);) {
    std::cout << now.answer(request) << '\n' << std::flush;
  }
  return 0;
}

int no_such_experiment() {
  std::cerr << "the first word is none of this lane's experiments; nothing was run\n";
  return 2;
}

}  // namespace doall::bench
