#include "afs/lane.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "kernels/harness.hpp"

namespace doall::bench {
namespace {

// Keeps the program that was last asked for: the driver asks for one after the other.
class session {
 public:
  session(const lane_door& door, size s) : door_(door), size_(s) {}

  std::string answer(const std::string& request) {
    std::istringstream fields(request);
    std::string verb;
    std::string name;
    std::string schedule;
    if (!(fields >> verb >> name >> schedule)) return "bad request: " + request;
    try {
      take(name);
      const way how = schedule == "serial" ? way::serial : way::parallel;
      if (how == way::parallel) door_.use(schedule);
      return verb == "check" ? check(how) : time(how);
    } catch (const std::exception& e) {
      return e.what();
    }
  }

 private:
  void take(const std::string& name) {
    if (taken_ && name_ == name) return;
    const auto found = std::ranges::find(door_.programs, name, &program::name);
    if (found == door_.programs.end()) throw std::invalid_argument("no program " + name);
    taken_ = std::make_unique<harness>(*found, size_, door_.warm_up);
    name_ = name;
  }

  std::string check(way how) { return "ok " + std::to_string(taken_->check(how)); }

  std::string time(way how) {
    std::ostringstream line;
    for (const double ns : taken_->time(how)) line << static_cast<std::uint64_t>(ns) << ' ';
    return line.str();
  }

  const lane_door& door_;
  size size_;
  std::unique_ptr<harness> taken_;
  std::string name_;
};

}  // namespace

int serve(int argc, char** argv, const lane_door& door) {
  const std::string wanted = argc == 2 ? argv[1] : "";
  if (wanted != "small" && wanted != "paper") {
    std::cerr << argv[0] << ": expected one argument, small or paper\n";
    return 2;
  }
  std::cout << door.library << '\t' << door.threads << '\n' << std::flush;
  session now(door, wanted == "small" ? size::small : size::paper);
  for (std::string request; std::getline(std::cin, request);) {
    std::cout << now.answer(request) << '\n' << std::flush;
  }
  return 0;
}

}  // namespace doall::bench
