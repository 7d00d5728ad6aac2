// The runs that all of LBS's tables and figures are of: its eight programs under the paper's
// columns, on the model of XMT.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace doall::bench::lbs_virtual {

// The paper's columns, and its names of them.
inline constexpr const char* lbs = "LBS";
inline constexpr const char* lbs_1 = "LBS_1";
inline constexpr const char* lbs_plus = "LBS+";
inline constexpr const char* one_tcu = "LBS+ on one processor";
inline constexpr const char* ap_default = "AP_default";
inline constexpr const char* ap_xmt = "AP_xmt";
inline constexpr const char* sp_trained = "SP_tr/ex";
inline constexpr const char* sp_ideal = "SP_ex/ex";
inline constexpr const char* sp_1 = "SP_1";
inline constexpr const char* sws = "SWS";
inline constexpr const char* si = "SI";

struct printed_program {
  const char* name;  // the kernel's
  const char* paper_name;
  double trained;      // Table 2's sst, on the training set
  double ideal;        // on the execution set
  double ppt;          // LBS's, by the compiler
  double speed_up;     // Table 4
  double over_serial;  // Table 5
};

inline constexpr printed_program printed[] = {
    {"matmult", "matmult", 4, 1, 1, 70.5, 63.9},
    {"convolution", "conv", 1, 1, 1, 67.2, 28.2},
    {"floyd-warshall", "FW", 32, 64, 91, 54.7, 37.6},
    {"breadth-first", "bfs", 16, 64, 53, 63.2, 12.8},
    {"spmv", "SpMV", 4, 64, 77, 60.7, 26.0},
    {"tsp", "tsp", 1, 1, 1, 67.5, 11.1},
    {"queens", "queens", 4, 1, 1, 62.5, 20.1},
    {"quicksort", "qs", 16, 256, 108, 52.1, 6.9},
};

struct of_program {
  std::map<std::string, double> makespans;  // by column
  double trained = 0;
  double ideal = 0;
  double work = 0;  // without a runtime

  double ratio(const char* column, const char* over) const {
    return makespans.at(column) / makespans.at(over);
  }
};

// By the paper's name. Runs are made once; more of them when other schedules stand in for the
// columns'.
const std::map<std::string, of_program>& all_runs();

// The geometric mean over all programs.
double mean_ratio(const char* column, const char* over);

}  // namespace doall::bench::lbs_virtual
