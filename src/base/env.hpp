// Settings from the environment, and the runtime's messages on standard error. A bad value never
// stops a program: a warning names it, what was expected and what is used instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace doall::base {

// Prints "doall: <message>" and a newline to standard error, in one write.
void warn(std::string_view message);

// The same, once for each distinct message in the life of the process. Of messages that differ in
// numbers alone the first eight are printed: a loop of another length in each call has as many.
void warn_once(std::string_view message);

// Whether the texts are equal but for case, which does not matter in OpenMP's and doall's words.
bool same_word(std::string_view a, std::string_view b);

// The text without blanks around it.
std::string_view trim(std::string_view text);

// The variable's value without blanks around it; nothing when unset. A variable of OpenMP's whose
// NAME_ALL is for all devices, the host too (OpenMP 5.2, section 21), has that one's value then.
std::optional<std::string> env_text(const char* name);

// The variable's value as a whole number in [least, most]; if it is not one, warns and returns
// nothing. `instead` says in the warning what is used then.
std::optional<std::uint64_t> env_number(const char* name, std::uint64_t least, std::uint64_t most,
                                        std::string_view instead);

// The same rule for a text that comes from elsewhere (an element of a list).
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most);

}  // namespace doall::base
