// Comments in preprocessed source of C and C++.
#pragma once

#include <string_view>

namespace doall::cli {

// Whether two texts that the preprocessor has made are the same program: they differ in comments,
// blanks and line markers alone. False by mistake only if a comment stands behind a quote that is
// none.
bool same_but_comments(std::string_view one, std::string_view other);

}  // namespace doall::cli
