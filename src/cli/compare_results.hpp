// What `doall compare` has measured: the table, the sentence above it, and the data of the page
// and of --json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "observe/record.hpp"
#include "process/child.hpp"
#include "text/statistics.hpp"

namespace doall::cli {

// What the program runs on, and the results.
struct contender {
  std::string runtime;
  std::string schedule;
  environment_changes environment;
  std::vector<double> samples = {};           // a round each
  std::vector<observe::report> reports = {};  // of one more run; ours only
  std::string unserved = {};                  // why it did not run on doall; ours only

  std::string label() const { return runtime + ' ' + schedule; }
  bool is_ours() const { return runtime == "doall"; }
  double median() const { return median_of(samples); }
};

using contenders = std::vector<contender>;

// The names of the members are those of the data, schema doall-compare/2. `metric` is empty for
// the wall time. Each contender has as many samples as the others, one at least.
nlohmann::ordered_json compare_data(const contenders& all, const arguments& program,
                                    const std::string& metric);

// The sentence and the table, with what its words mean, of these data.
std::string compare_text(const nlohmann::ordered_json& data);

}  // namespace doall::cli
