// The word of a site (abi.h, doall_site): what the runtime tells the program's own code. C++17, for
// doall::compat has it, too.
#pragma once

#include <cstdint>

namespace doall {
inline namespace v0 {
namespace detail {

class site_word {
 public:
  constexpr explicit site_word(std::uint64_t word = 0) : word_(word) {}

  constexpr std::uint64_t raw() const { return word_; }
  constexpr bool is_known() const { return (word_ & known) != 0; }
  constexpr bool nests() const { return (word_ & nests_bit) != 0; }
  // How many indices are a piece, of loops without others inside.
  constexpr std::uint64_t grain() const { return std::uint64_t{1} << (word_ & 63); }
  constexpr bool is_one_piece(std::uint64_t indices) const {
    return indices <= grain() && !nests();
  }
  constexpr std::uint64_t longest_plain() const { return word_ >> plain_shift; }
  constexpr std::uint32_t number() const {
    return static_cast<std::uint32_t>((word_ & number_bits) >> number_shift);
  }

  // The same, but with pieces of about so many indices (not 0).
  constexpr site_word with_grain(std::uint64_t indices) const {
    const auto log = static_cast<unsigned>(63 - __builtin_clzll(indices));
    const std::uint64_t below = std::uint64_t{1} << log;
    const bool up = log < 63 && indices - below > 2 * below / 5;  // by factors, that is nearer
    return site_word((word_ & ~low_bits) | known | (log + (up ? 1 : 0)));
  }
  constexpr site_word with_nests() const {
    return site_word((word_ & ~low_bits) | known | nests_bit);
  }
  constexpr site_word with_plain(std::uint64_t indices) const {
    const std::uint64_t most = indices < plain_most ? indices : plain_most;
    return site_word((word_ & (number_bits | low_bits)) | most << plain_shift);
  }
  constexpr site_word with_number(std::uint32_t number) const {
    return site_word((word_ & ~number_bits) |
                     (std::uint64_t{number} << number_shift & number_bits));
  }

 private:
  static constexpr std::uint64_t nests_bit = 1U << 6;
  static constexpr std::uint64_t known = 1U << 7;
  static constexpr std::uint64_t low_bits = 0xff;
  static constexpr unsigned number_shift = 8;
  static constexpr std::uint64_t number_bits = 0xffffff00;
  static constexpr unsigned plain_shift = 32;
  static constexpr std::uint64_t plain_most = 0xffffffff;

  std::uint64_t word_;
};

}  // namespace detail
}  // namespace v0
}  // namespace doall
