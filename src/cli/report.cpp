// doall report: makes a page of a report's data.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "process/options.hpp"
#include "process/result_file.hpp"
#include "report/data.hpp"
#include "report/page.hpp"

namespace doall::cli {

using nlohmann::ordered_json;

int report_command(const arguments& args) {
  std::string file;
  std::string page = "report.html";
  option_parser options("report", "FILE [OPTIONS]",
                        "Makes a page of a report that 'doall run --report=FILE.json' has left.",
                        "Example:\n  doall run --report=loops.json ./app\n"
                        "  doall report loops.json -o loops.html\n");
  options.add_option("FILE", file, "A report's data").required();
  options.add_option("-o,--output", page, fmt::format("The page; by default {}", page))
      .shown_as("FILE");
  if (!options.read(args)) return succeeded;
  const ordered_json data = read_report_data(file);
  result_file out(page, "page");
  try {
    out.write(report_page(data));
  } catch (const ordered_json::exception& e) {
    throw failure(failed, fmt::format("{} lacks something that a report has: {}", file, e.what()));
  }
  fmt::print("{}\n{}\n", data.value("first", ""), page);
  return succeeded;
}

}  // namespace doall::cli
