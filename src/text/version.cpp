#include "text/version.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/commit.hpp"

namespace doall::cli {

using nlohmann::ordered_json;

std::string_view version() { return DOALL_VERSION; }

std::string_view commit() { return DOALL_COMMIT; }

std::string version_text() {
  if (commit().empty())
    return fmt::format("doall {}, commit not known: built without git", version());
  return fmt::format("doall {}, commit {}", version(), commit());
}

ordered_json commit_or_null() {
  return commit().empty() ? ordered_json(nullptr) : ordered_json(commit());
}

ordered_json stamped(std::string_view schema, const ordered_json& members) {
  ordered_json all = {{"schema", schema}, {"doall", version()}, {"commit", commit_or_null()}};
  all.update(members);
  return all;
}

}  // namespace doall::cli
