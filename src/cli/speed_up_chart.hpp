// Speed-up curves as SVG: over the number of workers, the ideal beside them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace doall::cli {

struct speed_up_curve {
  std::string name;
  std::vector<std::pair<std::uint32_t, double>> points;  // workers, speed-up; by workers
};

struct speed_up_chart {
  std::string title;
  std::vector<speed_up_curve> curves;
};

// One file, the charts one below the other. Colours that colour-blind people tell apart (Okabe and
// Ito), and names at the curves' ends: readable without colour.
std::string to_svg(const std::vector<speed_up_chart>& charts);

}  // namespace doall::cli
