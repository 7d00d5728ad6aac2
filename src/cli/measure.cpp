#include "cli/measure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "base/clock.hpp"

namespace doall::cli {
namespace {

// A nameless file that takes a program's output, whatever its length.
class capture {
 public:
  capture() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) {
      throw failure(failed, fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
    }
    fcntl(descriptor(), F_SETFD, FD_CLOEXEC);
  }

  int descriptor() const { return fileno(file_.get()); }

  std::string text() const {
    std::string all;
    char part[65536];
    std::rewind(file_.get());
    while (const std::size_t size = std::fread(part, 1, sizeof part, file_.get())) {
      all.append(part, size);
    }
    return all;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

class empty_input {
 public:
  empty_input() : descriptor_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {}
  ~empty_input() { close(descriptor_); }
  empty_input(const empty_input&) = delete;
  empty_input& operator=(const empty_input&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

}  // namespace

namespace {

// What the line "NAME: number" or "NAME=number" says; nothing if it is another line.
std::optional<double> metric_in(std::string_view line, std::string_view name) {
  line = without_blanks(line);
  if (!line.starts_with(name)) return std::nullopt;
  line = without_blanks(line.substr(name.size()));
  if (!line.starts_with(':') && !line.starts_with('=')) return std::nullopt;
  line = without_blanks(line.substr(1));
  double value = 0;
  const auto [rest, status] = std::from_chars(line.data(), line.data() + line.size(), value);
  return status == std::errc{} ? std::optional(value) : std::nullopt;
}

// Takes the first line, without its end, from `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

// Without the lines that have the metric: they differ from run to run.
std::uint64_t hash_of_answer(std::string_view printed, const std::string& metric) {
  if (metric.empty()) return hash_of(printed);
  std::uint64_t hash = no_text_hashed;
  while (!printed.empty()) {
    const std::string_view line = take_line(printed);
    if (!metric_in(line, metric)) hash = hash_of("\n", hash_of(line, hash));
  }
  return hash;
}

std::uint64_t hash_of_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::uint64_t hash = no_text_hashed;
  if (!in) return hash;
  std::string part(1 << 20, '\0');
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0)
    hash = hash_of({part.data(), static_cast<std::size_t>(in.gcount())}, hash);
  return hash;
}

}  // namespace

std::optional<double> find_metric(std::string_view text, std::string_view name) {
  std::optional<double> last;
  while (!text.empty()) {
    if (const auto value = metric_in(take_line(text), name)) last = value;
  }
  return last;
}

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return hash;
}

measurer::measurer(launch program, std::string metric, std::vector<std::string> files)
    : program_(std::move(program)), metric_(std::move(metric)), files_(std::move(files)) {}

measured measurer::run(const environment_changes& environment, const std::string& label) {
  const empty_input input;
  const capture output;
  const capture errors;
  launch what = program_;
  what.environment = environment;
  what.input = input.descriptor();
  what.output = output.descriptor();
  what.errors = errors.descriptor();

  const std::uint64_t began_ns = base::now_ns();
  const outcome end = supervisor_.run(what);
  const auto elapsed_ns = static_cast<double>(base::now_ns() - began_ns);

  if (end.interrupted_by != 0) throw interrupted{end.interrupted_by};
  const auto fail = [&](const std::string& why) {
    return failure(failed,
                   fmt::format("{} under {} {}; what it printed:\n{}{}", program_.command.front(),
                               label, why, output.text(), errors.text()));
  };
  if (!end.succeeded()) throw fail(describe_end(end.wait_status));
  const std::string printed = output.text();
  measured found{elapsed_ns * 1e-9, {hash_of_answer(printed, metric_)}};
  for (const std::string& file : files_) found.answers.push_back(hash_of_file(file));
  if (metric_.empty()) return found;
  const auto value = find_metric(printed, metric_);
  if (!value) {
    throw fail(fmt::format("printed no line \"{}: NUMBER\" on standard output", metric_));
  }
  found.sample = *value;
  return found;
}

}  // namespace doall::cli
