// A small tree that breaks no rule of tidy, and the program run over it with one file more.
#pragma once

#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>

#include "support/temp_folder.hpp"

inline const std::string blocks = R"(
class static_blocks {
  static constexpr description about = {.name = "static", .aliases = {"block"}, .paper = "AFS"};
};
)";
inline const std::string other = R"(
class two_words {
  static constexpr description about = {
      .name = "two-words",
      .summary = "static, but another"};
};
)";

inline const std::string api =
    "static Schedule static_() { return schedule(\"static\"); }\n"
    "static Schedule two_words(int k) { return schedule(\"two-words\", k); }\n";

// Two operations that pair.
inline const std::string gate =
    "// (1) release; pairs with (2): publishes\n"
    "word.store(1, sync::release);\n"
    "// (2) acquire; pairs with (1): sees it\n"
    "word.load(sync::acquire);\n";

// Includes of every header that the tests write.
inline std::string reached() {
  std::string text = "#include <doall/detail/named_schedules.hpp>\n";
  for (const char* path : {"schedule/static", "schedule/two_words", "park/gate"}) {
    text += "#include \"" + std::string(path) + ".hpp\"\n";
  }
  for (const char* room : {"base", "deque", "schedule", "steal", "threads", "sim", "observe",
                           "kernels", "attic", "doall"}) {
    text += "#include \"" + std::string(room) + "/x.hpp\"\n";
  }
  return text + "#include \"base/sync_other.hpp\"\n";
}

struct outcome {
  int status;
  std::string output;
};

class tidy : public testing::Test {
 protected:
  tidy() {
    root.write("src/schedule/static.hpp", blocks);
    root.write("src/schedule/two_words.hpp", other);
    root.write("include/doall/detail/named_schedules.hpp", api);
    root.write("src/park/gate.hpp", gate);
    // What reaches the files that the tests write.
    root.write("CMakeLists.txt", "file(GLOB all *.cpp)\n");
    root.write("README.md", "docs/x.md\n");
    root.write("tests/tidy/all.cpp", reached());
  }

  outcome run() const {
    const std::string command = std::string(TIDY_PROGRAM) + " '" + root.path() + "' 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string output;
    char block[4096];
    for (std::size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;) {
      output.append(block, got);
    }
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
  }

  // The tree with this file in it breaks no rule.
  void accepts(const std::string& path, const std::string& text) {
    root.write(path, text);
    const outcome o = run();
    EXPECT_EQ(o.status, 0) << text;
    EXPECT_EQ(o.output, "") << text;
  }

  // The tree with this file in it breaks one rule, in one place; the line that
  // says so begins with `says`.
  void refuses(const std::string& path, const std::string& text, const std::string& says) {
    root.write(path, text);
    const outcome o = run();
    EXPECT_EQ(o.status, 1) << text;
    EXPECT_EQ(o.output.substr(0, says.size()), says) << text;
    EXPECT_EQ(std::ranges::count(o.output, '\n'), 1) << o.output;
  }

  doall::tests::temp_folder root;
};
