// Results as one page: its data and the program that draws them, in a file that needs nothing
// else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace doall::cli {

// Whether a file of that name is to be a page.
bool is_page(std::string_view file);

// Of a report's data (report_data.hpp), of two reports' differences (report_diff.cpp), or of what
// was compared (compare_results.hpp): page/page.js goes by the schema that the data name.
std::string report_page(const nlohmann::ordered_json& data);

}  // namespace doall::cli
