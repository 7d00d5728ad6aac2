// What built this: named by `--version`, and by everything that the command writes for keeps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace doall::cli {

std::string_view version();
// "": built from source that git does not know. "+changes" behind it: files differed from it.
std::string_view commit();
// "doall 0.1.0, commit 0123456789ab", or that the commit is not known.
std::string version_text();
// For JSON: null where it is not known.
nlohmann::ordered_json commit_or_null();
// Begins a JSON: `schema`, `doall` (the version) and `commit` (null: not known), then `members`.
nlohmann::ordered_json stamped(std::string_view schema, const nlohmann::ordered_json& members);

}  // namespace doall::cli
