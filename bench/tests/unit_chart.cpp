// What is drawn, as far as a program can tell.
#include <gtest/gtest.h>

#include <string>

#include "driver/bar_chart.hpp"

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

}  // namespace
}  // namespace doall::bench
