// doall bench sites: small loops in turn. A program of its own, in C: nobody else tells small loops
// apart.
#include <unistd.h>

#include <filesystem>

#include "driver/experiment.hpp"

namespace doall::bench {
namespace {

void run_sites(const cli::arguments& args) {
  const auto file = std::filesystem::canonical("/proc/self/exe").replace_filename("lane-sites");
  std::vector<std::string> words{"sites"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  throw cli::failure(cli::failed, file.string() + " cannot be started");
}

const experiment here{"sites", run_sites};

}  // namespace
}  // namespace doall::bench
