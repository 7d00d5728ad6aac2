// doall show: shows the reports that processes have left in a folder.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "report/data.hpp"
#include "report/page.hpp"
#include "report/report.hpp"

namespace doall::cli {

int show_command(const arguments& args) {
  std::string folder;
  bool as_json = false;
  bool as_page = false;
  option_parser options("show", "[OPTIONS] FOLDER",
                        "Shows the reports that processes have left in a folder, the one that "
                        "DOALL_REPORT_FOLDER named.");
  options.add_option("folder", folder, "with files report.<pid>").shown_as("FOLDER").required();
  options.add_flag("--json", as_json, "as JSON, in place of tables");
  options.add_flag("--html", as_page, "as a page, in place of tables");
  if (!options.read(args)) return succeeded;
  if (!std::filesystem::is_directory(folder)) {
    throw failure(failed,
                  fmt::format("{}: expected a folder of reports; nothing is shown", folder));
  }
  const auto reports = gather_reports(folder);
  if (reports.empty()) throw failure(failed, fmt::format("{}: no process left a report", folder));
  if (as_json) {
    fmt::print("{}\n", json_text(report_data(reports)));
  } else if (as_page) {
    fmt::print("{}", report_page(report_data(reports)));
  } else {
    fmt::print("{}", report_table(reports));
  }
  return succeeded;
}

}  // namespace doall::cli
