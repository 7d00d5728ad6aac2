// The options of the three commands are those of all benchmarks that go by rounds.
#pragma once

#include "common/run_options.hpp"
