// The rooms of src/ and the folders beside it, as DESIGN.md has them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tidy {

// Which rooms of src/ a room includes: the arrows of DESIGN.md, "Rooms".
const std::map<std::string, std::vector<std::string>>& arrows();

// The folders of harness/, bench/ and papers/, and what each may include of them and of src/.
const std::map<std::string, std::set<std::string>>& measuring();

// The room itself, and all that can be reached from it along the arrows.
std::set<std::string> reach_of(const std::string& room);

}  // namespace tidy
