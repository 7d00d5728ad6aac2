// The CPU bandwidth limit of control groups, versions 1 and 2.
//
// A process is in one group of each hierarchy that is mounted: /proc/self/cgroup says which,
// /proc/self/mountinfo where the hierarchy is mounted. A group's limit binds all groups below it,
// so the least on the way up to the root counts. A hybrid set-up mounts both versions and keeps the
// cpu controller in either one; both are read, and if there is no limit there is no file.
//
// In a container the mount may show only a part of the hierarchy: the mount's root field then names
// the group at the mount point, in the same terms as /proc/self/cgroup names the process's own. If
// the two do not fit together (a hierarchy seen from another namespace), only the group at the
// mount point is known, and it is the container's own.
//
// Nothing here fails: a file that is missing or malformed counts as no limit. Every program that
// runs under doall executes this when it starts: base/file_text.hpp says how the files are read.
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/file_text.hpp"
#include "topology/topology.hpp"

namespace doall::topology {
namespace {

enum class version { v1, v2 };

struct hierarchy {
  version kind;
  std::string group;  // the process's own
};

struct mount {
  version kind;
  std::string root;  // the group that is mounted at `point`
  std::string point;
};

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(by), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool contains(const std::vector<std::string_view>& parts, std::string_view wanted) {
  return std::ranges::find(parts, wanted) != parts.end();
}

// Blanks, tabs, line ends and backslashes are written in mountinfo as \ooo, octal.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Lines of /proc/self/cgroup: number:controllers:group, "0::group" for v2.
std::vector<hierarchy> hierarchies_with_cpu(const std::string& root) {
  std::vector<hierarchy> found;
  const std::string text = base::contents(root + "/proc/self/cgroup").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string group(line.substr(second + 1));
    if (line.starts_with("0::")) {
      found.push_back({version::v2, group});
    } else if (contains(split(controllers, ','), "cpu")) {
      found.push_back({version::v1, group});
    }
  }
  return found;
}

// Lines of /proc/self/mountinfo: id, parent, device, root, mount point, options,
// any number of tags, "-", type, source, options of the file system.
std::vector<mount> mounts_with_cpu(const std::string& root) {
  std::vector<mount> found;
  const std::string text = base::contents(root + "/proc/self/mountinfo").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    // Checked first: a machine full of containers has thousands of other mounts.
    const std::size_t dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    const auto right = split(line.substr(dash + 3), ' ');
    if (right.size() < 3) continue;
    const bool is_v2 = right[0] == "cgroup2";
    const bool is_v1 = right[0] == "cgroup" && contains(split(right[2], ','), "cpu");
    if (!is_v2 && !is_v1) continue;
    const auto left = split(line.substr(0, dash), ' ');
    if (left.size() < 5) continue;
    found.push_back({is_v2 ? version::v2 : version::v1, unescape(left[3]), unescape(left[4])});
  }
  return found;
}

// The group's path below the mount point, "" for the mount point itself;
// nothing when the mount does not show the group.
std::optional<std::string> path_below(const mount& m, const std::string& group) {
  const std::string above = m.root == "/" ? "" : m.root;
  if (group == "/" && above.empty()) return "";
  if (!group.starts_with(above)) return std::nullopt;
  std::string rest = group.substr(above.size());
  // A ".." leads out of the namespace, and so out of the mount.
  if (!rest.empty() && (rest[0] != '/' || contains(split(rest, '/'), ".."))) return std::nullopt;
  return rest;
}

// A positive whole number and nothing else.
std::optional<double> positive(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
  return static_cast<double>(value);
}

// A file's first line.
std::string first_line(const std::string& path) {
  const std::string text = base::contents(path).value_or("");
  return text.substr(0, text.find('\n'));
}

// The limit of one group: cpu.max is "quota period" or "max period"; v1 has a file for each, and -1
// for no limit.
std::optional<cpu_quota> quota_at(version kind, const std::string& folder) {
  std::string source;
  std::optional<double> quota;
  std::optional<double> period;
  if (kind == version::v2) {
    source = folder + "/cpu.max";
    const std::string line = first_line(source);
    const std::vector<std::string_view> fields = split(line, ' ');
    if (fields.size() != 2) return std::nullopt;
    quota = positive(fields[0]);
    period = positive(fields[1]);
  } else {
    source = folder + "/cpu.cfs_quota_us";
    quota = positive(first_line(source));
    period = positive(first_line(folder + "/cpu.cfs_period_us"));
  }
  if (!quota || !period) return std::nullopt;
  return cpu_quota{*quota / *period, source};
}

std::optional<cpu_quota> lesser(std::optional<cpu_quota> a, std::optional<cpu_quota> b) {
  if (!a) return b;
  if (!b) return a;
  return b->cpus < a->cpus ? b : a;
}

std::optional<cpu_quota> least_on_the_way_up(const hierarchy& h, const std::vector<mount>& mounts,
                                             const std::string& root) {
  // Choose the mount that shows most of the way up.
  const mount* first = nullptr;
  const mount* best = nullptr;
  std::string below;
  for (const mount& m : mounts) {
    if (m.kind != h.kind) continue;
    if (first == nullptr) first = &m;
    const std::optional<std::string> path = path_below(m, h.group);
    if (path && (best == nullptr || m.root.size() < best->root.size())) {
      best = &m;
      below = *path;
    }
  }
  if (first == nullptr) return std::nullopt;
  if (best == nullptr) best = first;

  const std::string top = root + best->point;
  if (!is_folder(top + below)) below.clear();

  std::optional<cpu_quota> least;
  for (;;) {
    least = lesser(least, quota_at(h.kind, top + below));
    const std::size_t slash = below.rfind('/');
    if (slash == std::string::npos) return least;
    below.resize(slash);
  }
}

}  // namespace

std::optional<cpu_quota> read_cpu_quota(const std::string& root) {
  std::optional<cpu_quota> least;
  const std::vector<hierarchy> all = hierarchies_with_cpu(root);
  if (all.empty()) return least;
  const std::vector<mount> mounts = mounts_with_cpu(root);
  for (const hierarchy& h : all) least = lesser(least, least_on_the_way_up(h, mounts, root));
  return least;
}

}  // namespace doall::topology
