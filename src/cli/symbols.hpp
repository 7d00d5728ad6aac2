// From a place in a module's code to its function and its line in the source,
// by the symbol table and DWARF. elfutils' libdw does the reading.
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

class symbol_finder {
 public:
  symbol_finder();
  ~symbol_finder();

  // `offset` counts from the address at which the module's file is mapped, as
  // dladdr(3)'s dli_fbase gives it. Either a function's entry or a return
  // address: the latter stands for the call before it.
  source_place find(const std::string& module, std::uint64_t offset);

 private:
  class module_symbols;
  std::map<std::string, std::unique_ptr<module_symbols>> modules_;
};

}  // namespace doall::cli
