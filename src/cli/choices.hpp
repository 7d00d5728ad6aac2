// `doall run --save-choices` and `--load-choices`: what `auto` has chosen for a program's loops, as
// JSON. A loop is named by function, file and line; its key, by which the runtime knows it again,
// is where its code lies in its file (sites/choice_file.hpp).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace doall::cli {

// The choices that the program's processes have left in the folder. A loop that several have met is
// saved once.
nlohmann::ordered_json choices_json(const std::filesystem::path& folder,
                                    const std::filesystem::path& program);

// Makes the file that the runtime reads of the choices in `file`, as far as they are the program's.
// If they are not, or the file is wrong, says so on standard error, and returns false: then loops
// choose as usual.
bool prepare_choices(const std::string& file, const std::filesystem::path& program,
                     const std::filesystem::path& prepared);

}  // namespace doall::cli
