#include "report/symbols.hpp"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace doall::cli {
namespace {

// "__heat_MOD_step", gfortran's procedure `step` of the module `heat`.
std::string fortran_name(std::string_view symbol) {
  constexpr std::string_view of_module = "_MOD_";
  const auto at = symbol.find(of_module);
  if (!symbol.starts_with("__") || at == symbol.npos) return std::string(symbol);
  return std::string(symbol.substr(2, at - 2)) +
         "::" + std::string(symbol.substr(at + of_module.size()));
}

// Where a name that Rust has mangled ends, which is by a hash: "17h0123456789abcdefE". npos: it is
// not Rust's.
std::size_t end_of_rust(std::string_view symbol) {
  constexpr std::string_view mark = "17h";
  constexpr std::size_t digits = 16;
  const auto at = symbol.rfind(mark);
  if (at == symbol.npos) return at;
  const auto end = symbol.find_first_not_of("0123456789abcdef", at + mark.size());
  const bool is_hash = end == at + mark.size() + digits && symbol[end] == 'E';
  return is_hash ? end + 1 : symbol.npos;
}

// Without the hash, "::h0123456789abcdef", and with the signs that Rust writes as words: of
// "_$LT$app..Model$u20$as$u20$app..Fit$GT$::fit" is made "<app::Model as app::Fit>::fit".
std::string rust_name(std::string_view demangled) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"$LT$", "<"},  {"$GT$", ">"},  {"$RF$", "&"},  {"$BP$", "*"},  {"$LP$", "("},
      {"$RP$", ")"},  {"$C$", ","},   {"$SP$", "@"},  {"$u20$", " "}, {"$u27$", "'"},
      {"$u3b$", ";"}, {"$u5b$", "["}, {"$u5d$", "]"}, {"$u7b$", "{"}, {"$u7d$", "}"},
      {"$u7e$", "~"}, {"..", "::"}};
  demangled = demangled.substr(0, demangled.rfind("::h"));
  std::string name;
  while (!demangled.empty()) {
    // Before a sign that a name's part begins with stands an underscore.
    const bool begins = name.empty() || name.ends_with("::");
    if (begins && demangled.starts_with("_$")) demangled.remove_prefix(1);
    std::string_view from = demangled.substr(0, 1);
    std::string_view to = from;
    for (const auto& [word, sign] : words) {
      if (!demangled.starts_with(word)) continue;
      from = word;
      to = sign;
    }
    name += to;
    demangled.remove_prefix(from.size());
  }
  return name;
}

// GCC names the function that it makes of a region or loop after the function that holds it:
// "main._omp_fn.0", "_Z3fooi._omp_fn.1". The demangler does not know such suffixes, so it gets only
// the part before.
std::string readable(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return fortran_name(symbol);  // C: "f" is not a float
  const auto rust = end_of_rust(symbol);
  const auto suffix = rust != symbol.npos ? rust : std::min(symbol.find('.'), symbol.size());
  const std::string base(symbol.substr(0, suffix));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(base.c_str(), nullptr, nullptr, &status), &std::free);
  const std::string name = status == 0 ? demangled.get() : base;
  return (status == 0 && rust != symbol.npos ? rust_name(name) : name) +
         std::string(symbol.substr(suffix));
}

// The address at which the file's first byte is mapped when its bias is zero.
std::optional<std::uint64_t> first_address(Elf* elf) {
  std::size_t count = 0;
  elf_getphdrnum(elf, &count);
  std::optional<std::uint64_t> least;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_LOAD) continue;
    least = std::min(least.value_or(segment.p_vaddr), segment.p_vaddr);
  }
  if (!least) return std::nullopt;
  return *least & ~(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) - 1);
}

// While it lives, the environment has no such variable.
class hidden_variable {
 public:
  explicit hidden_variable(const char* name) : name_(name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return;
    value_ = value;
    unsetenv(name);
  }
  ~hidden_variable() {
    if (value_) setenv(name_, value_->c_str(), 1);
  }
  hidden_variable(const hidden_variable&) = delete;
  hidden_variable& operator=(const hidden_variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> value_;
};

// elfutils would ask the servers that this variable names for what is not on this machine. doall
// opens no connection (SECURITY.md).
constexpr const char* symbol_servers = "DEBUGINFOD_URLS";

int find_elf_here(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base, char** file,
                  Elf** elf) {
  const hidden_variable servers(symbol_servers);
  return dwfl_build_id_find_elf(module, data, name, base, file, elf);
}

int find_debuginfo_here(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                        const char* file, const char* link, GElf_Word crc, char** found) {
  const hidden_variable servers(symbol_servers);
  return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

}  // namespace

class symbol_finder::module_symbols {
 public:
  explicit module_symbols(const std::string& path) : session_(dwfl_begin(&callbacks)) {
    if (session_ == nullptr) return;
    dwfl_report_begin(session_);
    module_ = dwfl_report_offline(session_, path.c_str(), path.c_str(), -1);
    dwfl_report_end(session_, nullptr, nullptr);
    if (module_ == nullptr) return;
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module_, &bias);
    const auto first = elf != nullptr ? first_address(elf) : std::nullopt;
    if (first) {
      base_ = bias + *first;
    } else {
      module_ = nullptr;
    }
  }
  ~module_symbols() { dwfl_end(session_); }
  module_symbols(const module_symbols&) = delete;
  module_symbols& operator=(const module_symbols&) = delete;

  source_place find(std::uint64_t offset) {
    source_place place;
    if (module_ == nullptr) return place;
    GElf_Addr address = base_ + offset;
    GElf_Off within = 0;
    GElf_Sym symbol;
    const char* name = symbol_at(address, within, symbol);
    if (name == nullptr || within != 0) {
      // Not a function's entry, so a return address: the call is just before it, and may be the
      // last instruction of its function.
      address -= 1;
      name = symbol_at(address, within, symbol);
    }
    // If the nearest symbol below ends before here, it is another function's.
    if (name != nullptr && (symbol.st_size == 0 || within < symbol.st_size)) {
      place.function = readable(name);
    }
    int line = 0;
    if (Dwfl_Line* found = dwfl_module_getsrc(module_, address)) {
      const char* file = dwfl_lineinfo(found, nullptr, &line, nullptr, nullptr, nullptr);
      if (file != nullptr && line > 0) {
        place.file = file;
        place.line = static_cast<std::uint32_t>(line);
      }
    }
    return place;
  }

 private:
  const char* symbol_at(GElf_Addr address, GElf_Off& within, GElf_Sym& symbol) {
    return dwfl_module_addrinfo(module_, address, &within, &symbol, nullptr, nullptr, nullptr);
  }

  static const Dwfl_Callbacks callbacks;
  Dwfl* session_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr base_ = 0;
};

const Dwfl_Callbacks symbol_finder::module_symbols::callbacks = {
    .find_elf = find_elf_here,
    .find_debuginfo = find_debuginfo_here,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

std::string readable_name(const std::string& symbol) { return readable(symbol); }

symbol_finder::symbol_finder() = default;
symbol_finder::~symbol_finder() = default;

source_place symbol_finder::find(const std::string& module, std::uint64_t offset) {
  auto& symbols = modules_[module];
  if (!symbols) symbols = std::make_unique<module_symbols>(module);
  return symbols->find(offset);
}

}  // namespace doall::cli
