// Finds the function and source line of a place in a module's code, by the symbol table and DWARF,
// which elfutils' libdw reads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace doall::cli {

struct source_place {
  std::string function;  // demangled; empty when unknown, as is the rest
  std::string file;
  std::uint32_t line = 0;
};

// A C++ function's name as its source has it; any other one as it is.
std::string readable_name(const std::string& symbol);

class symbol_finder {
 public:
  symbol_finder();
  ~symbol_finder();

  // `offset` counts from the address at which the module's file is mapped, as dladdr(3)'s dli_fbase
  // gives it. It is either a function's entry or a return address, which stands for the call before
  // it.
  source_place find(const std::string& module, std::uint64_t offset);

 private:
  class module_symbols;
  std::map<std::string, std::unique_ptr<module_symbols>> modules_;
};

}  // namespace doall::cli
