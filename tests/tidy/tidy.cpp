// The rules of DESIGN.md and CONTRIBUTING.md as a test.
//
//   tidy ROOT      prints "file:line: rule: what" for each violation;
//                  status 0: none, 1: some, 2: ROOT is not the repository
#include <exception>
#include <filesystem>
#include <iostream>

#include "rules.hpp"

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(std::filesystem::path(argv[1]) / "src")) {
    std::cerr << "tidy: expected one argument, the repository's root with src/ in it\n";
    return 2;
  }
  try {
    const auto found = tidy::check_all(tidy::read_tree(argv[1]));
    for (const tidy::violation& v : found) {
      std::cout << v.path << ':' << v.line << ": " << v.rule << ": " << v.what << '\n';
    }
    return found.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "tidy: " << argv[1] << " cannot be read: " << e.what() << '\n';
    return 2;
  }
}
