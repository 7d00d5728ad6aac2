#include "lanes/lane.hpp"

#include <iostream>
#include <memory>

#include "kernels/harness.hpp"

namespace doall::bench {
namespace {

// Keeps the program that was last asked for: the driver asks for one after the other.
class conversation {
 public:
  conversation(const lane_door& door, size s) : door_(door), size_(s) {}

  std::string schedules(std::istream& words) {
    std::string line;
    for (const std::string& one : door_.schedules(find(next_of(words)))) line += one + ' ';
    return line;
  }

  std::string check(std::istream& words) {
    const way how = take(words);
    return in_a_line({taken_->check(how)});
  }

  std::string runs(std::istream& words) {
    const way how = take(words);
    const auto runs_min = next_of<std::size_t>(words);
    std::vector<double> numbers;
    for (const run_record& run : taken_->time(how, runs_min, next_of<std::size_t>(words))) {
      const times_of_loops loops = run.loops.value_or(times_of_loops{});
      const loop_times& fine = loops.fine;
      numbers.push_back(run.total_ns);
      if (fine.loops() == 0) {
        numbers.insert(numbers.end(), 6, 0.0);
      } else {
        for (const double one :
             {fine.sum_ns(), loops.coarse.sum_ns(), static_cast<double>(fine.loops()),
              static_cast<double>(fine.short_loops()), fine.least_ns(), fine.most_ns()}) {
          numbers.push_back(one);
        }
      }
    }
    return in_a_line(numbers);
  }

  std::string repeat(std::istream& words) {
    const way how = take(words);
    return totals(taken_->repeat(how, next_of<std::size_t>(words)));
  }

  std::string calls(std::istream& words) {
    const way how = take(words);
    return totals(taken_->call(how, next_of<std::size_t>(words)));
  }

  // Two programs may be too large.
  void forget() {
    taken_.reset();
    name_.clear();
  }

 private:
  const program& find(const std::string& name) const {
    return named(door_.programs, name, &program::name);
  }

  static std::string totals(const std::vector<run_record>& runs) {
    std::vector<double> numbers;
    for (const run_record& run : runs) numbers.push_back(run.total_ns);
    return in_a_line(numbers);
  }

  // PROGRAM SCHEDULE
  way take(std::istream& words) {
    const std::string name = next_of(words);
    const std::string schedule = next_of(words);
    if (!taken_ || name_ != name) {
      forget();
      taken_ = std::make_unique<harness>(find(name), size_, door_.warm_up);
      name_ = name;
    }
    if (schedule == "serial") return way::serial;
    door_.use(schedule);
    return way::parallel;
  }

  const lane_door& door_;
  size size_;
  std::unique_ptr<harness> taken_;
  std::string name_;
};

}  // namespace

int serve_lane(const std::string& size_name, lane_door door) {
  if (size_name != "small" && size_name != "paper") {
    std::cerr << "bad size \"" << size_name << "\", expected small or paper; nothing was run\n";
    return 2;
  }
  conversation now(door, size_of(size_name));
  lane l{.library = door.library, .threads = door.threads};
  for (const program& p : door.programs) l.offers.push_back(p.name);
  for (const auto& [verb, answer] : door.verbs) {
    l.verbs[verb] = [&now, &answer](std::istream& words) {
      now.forget();
      return answer(words);
    };
  }
  l.verbs["schedules"] = [&now](std::istream& words) { return now.schedules(words); };
  l.verbs["check"] = [&now](std::istream& words) { return now.check(words); };
  l.verbs["runs"] = [&now](std::istream& words) { return now.runs(words); };
  l.verbs["repeat"] = [&now](std::istream& words) { return now.repeat(words); };
  l.verbs["calls"] = [&now](std::istream& words) { return now.calls(words); };
  serve(l);
  return 0;
}

int serve_experiment(
    const texts& words,
    const std::map<std::string, std::function<int(const lane_request&)>>& experiments) {
  const auto asked = experiments.find(words.empty() ? "" : words.front());
  if (asked == experiments.end()) {
    std::cerr << "the first word is none of this lane's experiments; nothing was run\n";
    return 2;
  }
  const std::size_t named = std::min<std::size_t>(words.size(), 2);
  return asked->second({named > 1 ? words[1] : "", texts(words.begin() + named, words.end())});
}

}  // namespace doall::bench
