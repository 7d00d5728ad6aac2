// What is drawn, as far as a program can tell.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/bar_chart.hpp"
#include "text/chart.hpp"

namespace doall::bench {
namespace {

std::size_t count(const std::string& in, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++found;
  return found;
}

// The number of attribute `name` in the bar whose title is `what`.
double bar_number(const std::string& svg, const std::string& what, const std::string& name) {
  const std::size_t bar = svg.rfind("<rect", svg.find("<title>" + what));
  return std::stod(svg.substr(svg.find(name + "=\"", bar) + name.size() + 2));
}

bar_chart two_panels() {
  return {.title = "t",
          .y_label = "speed-up",
          .one = "a < b",
          .panels = {{.title = "first",
                      .groups = {"g", "h"},
                      .bars = {{"x", {ratio{2, {}}, ratio{0.5, estimate{0.5, 0.4, 0.6}}}},
                               {"y", {ratio{4, {}}, std::nullopt}}}},
                     {.title = "second", .groups = {"g"}, .bars = {{"y", {ratio{1, {}}}}}}}};
}

TEST(BarChart, EveryRatioHasABarAndEveryIntervalAWhisker) {
  const std::string svg = to_svg(two_panels());
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  // Four bars and two names in the legend.
  EXPECT_EQ(count(svg, "<title>"), 6);
  EXPECT_EQ(count(svg, "#444444"), 1);
  EXPECT_EQ(count(svg, "a &lt; b"), 1);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

// Equal ratios, equal lengths, whichever way.
TEST(BarChart, BarsStandOnOneOrHangFromIt) {
  const std::string svg = to_svg(two_panels());
  const double twice = bar_number(svg, "x, g: 2.00", "height");
  EXPECT_GT(twice, 10);
  EXPECT_NEAR(bar_number(svg, "x, h: 0.50", "height"), twice, 0.11);
  EXPECT_NEAR(bar_number(svg, "y, g: 4.00", "height"), 2 * twice, 0.11);
  EXPECT_EQ(bar_number(svg, "y, g: 1.00", "height"), 0);
  const double one = bar_number(svg, "x, h: 0.50", "y");  // it hangs
  EXPECT_NEAR(bar_number(svg, "x, g: 2.00", "y") + twice, one, 0.11);
}

TEST(BarChart, NamesBeyondTheColoursArePaler) {
  bar_chart c{.title = "", .y_label = "", .one = "", .panels = {{"p", {"g"}, {}}}};
  for (int i = 0; i < 9; ++i) c.panels[0].bars.push_back({"s" + std::to_string(i), {ratio{2, {}}}});
  const std::string svg = to_svg(c);
  EXPECT_EQ(bar_number(svg, "s6, g", "fill-opacity"), 1);
  EXPECT_EQ(bar_number(svg, "s7, g", "fill-opacity"), 0.5);
}

// A line a bar: to the right of | what is faster, to its left what is slower, as far.
TEST(BarChart, IsTextToo) {
  const std::string text = to_text(two_panels(), 60);
  EXPECT_NE(text.find("first\ng\n"), std::string::npos) << text;
  EXPECT_NE(text.find("=|"), std::string::npos) << text;
  EXPECT_NE(text.find("|="), std::string::npos) << text;
  for (const char* number : {" 2.000\n", " 0.500\n", " 4.000\n", " 1.000\n"}) {
    EXPECT_EQ(count(text, number), 1) << number << text;
  }
  const auto length = [&](const char* number) {
    const std::size_t end = text.find(number);
    const std::size_t begin = text.rfind('\n', end);
    return count(text.substr(begin, end - begin), "=");
  };
  EXPECT_EQ(length(" 2.000"), length(" 0.500"));
  EXPECT_NEAR(static_cast<double>(length(" 4.000")), 2.0 * static_cast<double>(length(" 2.000")),
              1);
}

cli::chart two_curves() {
  return {.title = "t",
          .x_label = "P",
          .y_label = "speed-up",
          .x_text = [](double p) { return std::to_string(static_cast<int>(p)); },
          .axes = cli::scale::linear,
          .panels = {{"p", {{"up", {1, 5, 10}, {1, 5, 10}}, {"down", {1, 10}, {10, 1}}}}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t to = 0; (to = text.find('\n', from)) != std::string::npos; from = to + 1)
    all.push_back(text.substr(from, to - from));
  return all;
}

TEST(Chart, IsTextWithALetterAtEachPoint) {
  const std::string text = to_text(two_curves(), 60);
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_EQ(lines[0], "t: speed-up over P");
  EXPECT_EQ(lines[1], "p");
  EXPECT_EQ(lines[2].substr(0, 11), "      10 |b") << text;
  EXPECT_EQ(lines[2].size(), 60U) << text;
  EXPECT_EQ(lines[2].back(), 'a') << text;
  EXPECT_EQ(lines[17].back(), 'b') << text;
  EXPECT_EQ(lines[17].substr(9, 2), "|a") << text;
  EXPECT_EQ(lines.back(), "a up  b down  * several") << text;
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60U) << line;
  EXPECT_EQ(count(text, "a"), 3U + 2) << "three points, and the legend\n" << text;
}

TEST(Chart, PointsInOnePlaceAreSeveral) {
  cli::chart c = two_curves();
  c.panels[0].curves.push_back({"same", {1}, {1}});
  const std::vector<std::string> lines = lines_of(to_text(c, 60));
  EXPECT_EQ(lines[17].substr(9, 2), "|*");
}

}  // namespace
}  // namespace doall::bench
