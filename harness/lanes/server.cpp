#include "lanes/server.hpp"

#include <iostream>
#include <sstream>

namespace doall::bench {
namespace {

std::string answer(const lane& l, const std::string& request) {
  std::istringstream words(request);
  std::string verb;
  words >> verb;
  const auto found = l.verbs.find(verb);
  if (found == l.verbs.end()) return "bad request: " + request;
  try {
    return found->second(words);
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

void serve(const lane& l) {
  std::cout << l.library << '\t' << l.threads;
  for (const std::string& offer : l.offers) std::cout << '\t' << offer;
  std::cout << std::endl;
  for (std::string request; std::getline(std::cin, request);) {
    std::cout << answer(l, request) << std::endl;
  }
}

std::string in_a_line(const std::vector<double>& numbers) {
  std::ostringstream line;
  line.precision(12);
  for (const double n : numbers) line << n << ' ';
  return line.str();
}

}  // namespace doall::bench
