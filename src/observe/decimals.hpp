// How reports write times.
#pragma once

#include <cstdint>
#include <string>

namespace doall::observe {

// A time with three decimals, whatever the program's locale is. std::to_chars() would bring the
// libraries tables of powers, and the C library's mathematics.
inline std::string decimals(double value) {
  constexpr double least_too_large = 0x1p64;
  if (!(value >= 0 && value < least_too_large)) return "0";
  auto whole = static_cast<std::uint64_t>(value);
  auto thousandths = static_cast<unsigned>((value - static_cast<double>(whole)) * 1000 + 0.5);
  if (thousandths == 1000) {
    thousandths = 0;
    ++whole;
  }
  return std::to_string(whole) + '.' + std::to_string(1000 + thousandths).substr(1);
}

}  // namespace doall::observe
