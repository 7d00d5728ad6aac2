// What the command says on standard error. If it cannot be written, since nobody reads it or a disk
// is full, the command goes on: no line is worth a program's run, or its status.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace doall::cli {

template <class... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  const std::string all = fmt::format(text, std::forward<Values>(values)...);
  std::fwrite(all.data(), 1, all.size(), stderr);
}

}  // namespace doall::cli
