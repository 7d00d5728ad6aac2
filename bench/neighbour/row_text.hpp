// The rows of the three tables are written as all benchmarks' rows are.
#pragma once

#include "common/row_text.hpp"
