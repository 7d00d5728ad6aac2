// Text of files: whole, in any pieces, and what cannot be read or written.
#include "base/file_text.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "support/temp_folder.hpp"

namespace doall::base {
namespace {

int open_new(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

TEST(FileText, IsReadAsItWasWritten) {
  const tests::temp_folder folder;
  const std::string path = folder.path() + "/long";
  std::string all;
  {
    text_file out(open_new(path));
    for (int i = 0; i < 5'000; ++i) {
      const std::string piece = std::to_string(i) + std::string(i % 7, '\0');
      out.write(piece);
      all += piece;
    }
    const std::string larger(100'000, 'x');
    out.write(larger);
    all += larger;
    EXPECT_TRUE(out.close());
  }
  EXPECT_EQ(contents(path), all);
  text_file(open_new(path)).write("end");
  EXPECT_EQ(contents(path), all + "end");
}

TEST(FileText, OfTheKernelsFilesIsRead) {
  EXPECT_TRUE(contents("/proc/self/cmdline").value_or("").find("tests") != std::string::npos);
}

TEST(FileText, ThatIsNotThereIsNothing) {
  const tests::temp_folder folder;
  EXPECT_EQ(contents(folder.path() + "/none"), std::nullopt);
  EXPECT_EQ(contents(folder.path()), std::nullopt);
  folder.write("empty", "");
  EXPECT_EQ(contents(folder.path() + "/empty"), "");
}

TEST(FileText, ThatCannotBeWrittenIsSaid) {
  text_file none(-1);
  none.write("text");
  EXPECT_FALSE(none.close());
  EXPECT_FALSE(none.close()) << "nor when asked again";
  text_file full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  full.write("text");
  EXPECT_FALSE(full.close());
  text_file full_at_once(open("/dev/full", O_WRONLY | O_CLOEXEC));
  full_at_once.write(std::string(100'000, 'x'));
  full_at_once.write("more");
  EXPECT_FALSE(full_at_once.close());
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> all;
  text_lines lines(text);
  while (const auto line = lines.next()) {
    all.emplace_back(*line);
    EXPECT_EQ(lines.number(), all.size());
  }
  return all;
}

TEST(TextLines, EndWithALineEndOrTheText) {
  using list = std::vector<std::string>;
  EXPECT_EQ(lines_of(""), list{});
  EXPECT_EQ(lines_of("\n"), list{""});
  EXPECT_EQ(lines_of("a"), list{"a"});
  EXPECT_EQ(lines_of("a\n"), list{"a"});
  EXPECT_EQ(lines_of("a\n\nb"), (list{"a", "", "b"}));
}

TEST(TextLines, SayWhetherTheNextHasItsEnd) {
  text_lines lines("a\nb");
  EXPECT_TRUE(lines.has_whole());
  lines.next();
  EXPECT_FALSE(lines.has_whole());
  lines.next();
  EXPECT_FALSE(lines.has_whole());
}

}  // namespace
}  // namespace doall::base
