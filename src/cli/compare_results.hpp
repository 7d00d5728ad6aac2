// What `doall compare` has measured: the table, the sentence above it, and the data of the page
// and of --json.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "observe/record.hpp"
#include "process/child.hpp"
#include "text/statistics.hpp"

namespace doall::cli {

// What can be set from outside.
enum class set_by { nothing, threads, waiting, schedule };
std::string_view name_of(set_by what);

inline constexpr const char* own_run = "own";

// What the program runs on, what is set, and the results.
struct contender {
  std::string runtime;
  std::string how;  // a schedule, or other settings in words; own_run: none
  set_by what = set_by::schedule;
  environment_changes environment;
  std::vector<double> samples = {};                      // a round each
  std::vector<std::vector<std::uint64_t>> answers = {};  // of each run (measure.hpp)
  std::vector<observe::report> reports = {};             // of one more run; ours only
  std::string left_out = {};                             // why it has no row

  std::string label() const { return runtime + ' ' + how; }
  bool is_ours() const { return runtime == "doall"; }
  bool is_own() const { return !is_ours() && what == set_by::nothing; }
  double median() const { return median_of(samples); }
};

using contenders = std::vector<contender>;

// What its runs have answered, on standard output and in each file, beside the program's own runs.
// Of what differs among those nothing can be told.
struct answers_seen {
  std::size_t runs = 0;
  std::size_t others = 0;  // of these, with another answer than all own runs
};
answers_seen answers_of(const contender& c, const contenders& all);

// Of what the program answers: how much its own runs agree on, and of how much they do not.
struct own_answers {
  std::size_t alike = 0;
  std::size_t unlike = 0;
};
own_answers own_answers_of(const contenders& all);

// The names of the members are those of the data, schema doall-compare/3. `metric` is empty for the
// wall time. Each contender has as many samples as the others, one at least; the program's own run
// is among them. `unreached`: the schedules that no loop took, which have no row.
nlohmann::ordered_json compare_data(const contenders& all, const arguments& program,
                                    const std::string& metric,
                                    const std::vector<std::string>& unreached);

// The sentence and the table, with what its words mean, of these data.
std::string compare_text(const nlohmann::ordered_json& data);

}  // namespace doall::cli
