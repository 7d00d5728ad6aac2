// Runs an experiment, `doall-bench NAME`, as the test program bench_NAME that calls this is named,
// and reads what it writes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

namespace doall::bench::tests {

using nlohmann::json;

std::string temporary(const std::string& suffix);
std::string text_of(const std::string& file);

// A file in doall-bench's folder.
std::filesystem::path beside_driver(const std::string& name);

// What it ends with.
int status_of(const std::string& options);

// Expects the status 0: all answers are right.
json output_of(const std::string& options);

// How many rows have all of these values.
using fields = std::initializer_list<std::pair<const char*, json>>;
std::ptrdiff_t count_of(const json& rows, fields wanted);

bool has_row(const json& program, const std::string& door, const std::string& schedule);

// A verdict or a mean of that name.
bool names(const json& rows, const std::string& of);

void expect_times(const json& row);

// Of our rows on a shared machine: doors, schedules and lengths.
std::size_t ours(const json& rows);

// It can be read, and all of its numbers are.
void expect_picture(const std::string& svg);

}  // namespace doall::bench::tests
