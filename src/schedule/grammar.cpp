#include "schedule/grammar.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "base/env.hpp"

namespace doall::schedules {
namespace {

// Takes the part before the next comma off `rest`.
std::string_view take_part(std::string_view& rest) {
  const auto comma = rest.find(',');
  const std::string_view part = rest.substr(0, comma);
  rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  return base::trim(part);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Levenshtein's distance, by rows. O(|a| |b|).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string all_names() {
  std::string names;
  for (const entry& e : registry()) names += (names.empty() ? "" : ", ") + std::string(e.name);
  return names;
}

// The name or alias that was probably meant; empty if there is none.
std::string_view nearest_to(std::string_view name) {
  constexpr std::size_t slips_most = 2;
  std::string_view nearest;
  std::size_t least = slips_most + 1;
  const auto consider = [&](std::string_view known) {
    const std::size_t d = distance(lower(name), known);
    if (d < least && d < known.size()) {
      nearest = known;
      least = d;
    }
  };
  for (const entry& e : registry()) {
    consider(e.name);
    for (std::string_view alias : e.aliases) consider(alias);
  }
  return nearest;
}

std::string keys_of(const entry& e) {
  std::string keys;
  const auto add = [&](const parameter& p) {
    keys += (keys.empty() ? "" : ", ") + std::string(p.key);
  };
  for (const parameter& p : e.parameters) add(p);
  for (const parameter& p : common_parameters()) add(p);
  return keys;
}

// The parameter that a bare number stands for, after `after` others; null if there is none.
const parameter* positional_of(const entry& e, std::size_t after) {
  if (after >= e.parameters.size()) return nullptr;
  const parameter& p = e.parameters[after];
  return p.positional ? &p : nullptr;
}

const parameter* find_parameter(const entry& e, std::string_view key) {
  for (const auto parameters : {e.parameters, common_parameters()}) {
    for (const parameter& p : parameters) {
      if (lower(key) == p.key) return &p;
    }
  }
  return nullptr;
}

// The parameter of that key, if the key may stand without a value; else null.
const parameter* find_alone(const entry& e, std::string_view key) {
  const parameter* const p = find_parameter(e, key);
  return p != nullptr && p->alone ? p : nullptr;
}

// 0 when the text is not a value of the parameter.
u64 value_of(const parameter& p, std::string_view text) {
  u64 value = 0;
  if (p.words.empty()) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = status == std::errc{} && end == text.data() + text.size();
    return is_number && p.takes(value) ? value : 0;
  }
  for (const std::string_view word : p.words) {
    ++value;
    if (lower(text) == word) return value;
  }
  return 0;
}

// Removes defaults, so that two texts of one schedule give the same spec.
void drop_defaults(const entry& e, params& given) {
  for (const auto parameters : {e.parameters, common_parameters()}) {
    for (const parameter& p : parameters) {
      if (p.default_word.empty()) continue;
      u64& field = value_in(given, e, p);
      if (field != 0 && p.words[field - 1] == p.default_word) field = 0;
    }
  }
}

std::string values_of(const parameter& p) {
  if (p.words.empty()) {
    return "a whole number from " + std::to_string(p.least) + " to " + std::to_string(p.most);
  }
  std::string words;
  for (const std::string_view word : p.words) {
    words += (words.empty() ? "" : " or ") + std::string(word);
  }
  return words;
}

}  // namespace

u64& value_in(params& given, const entry& e, const parameter& p) {
  for (std::size_t i = 0; i < e.parameters.size(); ++i) {
    if (&e.parameters[i] == &p) return given.own[i];
  }
  return given.order;
}

u64 chunk_of(const spec& how) {
  const u64 first = how.given.first();
  if (first == 0 || how.which->parameters.empty()) return 0;
  return how.which->parameters.front().key == "chunk" ? first : 0;
}

spec in_cells(const spec& how, u64 cell) {
  if (cell == 1) return how;
  spec dealt = how;
  for (const parameter& p : how.which->parameters) {
    u64& given = value_in(dealt.given, *how.which, p);
    if (p.iterations) given = base::ceil_div(given, cell);
  }
  return dealt;
}

spec out_of_cells(const spec& how, u64 cell) {
  if (cell == 1) return how;
  spec asked = how;
  for (const parameter& p : how.which->parameters) {
    u64& given = value_in(asked.given, *how.which, p);
    if (p.iterations) given = base::saturating_mul(given, cell);
  }
  return asked;
}

void give_grain(spec& how, u64 grain) {
  for (const parameter& p : how.which->parameters) {
    u64& given = value_in(how.given, *how.which, p);
    if (p.grain && given == 0) given = grain;
  }
}

parse_result parse(std::string_view text) {
  parse_result result;
  const auto fail = [&](const std::string& why) {
    result.value.which = nullptr;
    result.error = why;
    return result;
  };

  std::string_view rest = text;
  const bool more = text.find(',') != std::string_view::npos;
  const std::string_view name = take_part(rest);
  if (name.empty()) {
    return fail("no schedule is named in " + quoted(base::trim(text)) + ", expected one of " +
                all_names());
  }
  const entry* which = find(name);
  if (which == nullptr) {
    const std::string_view nearest = nearest_to(name);
    return fail("unknown schedule " + quoted(name) + ", expected one of " + all_names() +
                (nearest.empty() ? "" : "; the nearest is " + quoted(nearest)));
  }

  // Computed only on failure: a schedule may be made anew for every loop.
  const auto in_text = [&] { return " in schedule " + quoted(base::trim(text)); };
  std::size_t before = 0;
  bool only_numbers = true;
  for (bool left = more; left; ++before) {
    left = rest.find(',') != std::string_view::npos;
    const std::string_view part = take_part(rest);
    if (part.empty()) {
      return fail("empty parameter" + in_text() + ", which takes " + keys_of(*which));
    }
    const auto equals = part.find('=');
    const bool bare = equals == std::string_view::npos;
    const std::string_view key = bare ? std::string_view{} : base::trim(part.substr(0, equals));
    const std::string_view value_text = bare ? part : base::trim(part.substr(equals + 1));

    const parameter* const named_alone = bare ? find_alone(*which, part) : nullptr;
    only_numbers = only_numbers && bare && named_alone == nullptr;
    const parameter* p = named_alone;
    if (!bare) p = find_parameter(*which, key);
    if (only_numbers) p = positional_of(*which, before);
    if (p == nullptr && bare && before != 0) {
      return fail("bad parameter " + quoted(part) + in_text() + ", expected key=value here");
    }
    if (p == nullptr) {
      return fail(
          (bare ? "unexpected parameter " + quoted(part) : "unknown parameter " + quoted(key)) +
          in_text() + ", which takes " + keys_of(*which));
    }
    const u64 value = named_alone != nullptr ? p->words.size() : value_of(*p, value_text);
    if (value == 0) {
      return fail("bad value " + quoted(value_text) + " for " + std::string(p->key) + in_text() +
                  ", expected " + values_of(*p));
    }
    u64& field = value_in(result.value.given, *which, *p);
    if (field != 0) {
      return fail("parameter " + std::string(p->key) + " is given twice" + in_text() +
                  ", expected once");
    }
    field = value;
  }
  drop_defaults(*which, result.value.given);
  result.value.which = which;
  return result;
}

std::string to_text(const spec& s) {
  params given = s.given;
  std::string text(s.which->name);
  bool only_numbers = true;
  for (const auto parameters : {s.which->parameters, common_parameters()}) {
    for (const parameter& p : parameters) {
      const u64 value = value_in(given, *s.which, p);
      only_numbers = only_numbers && p.positional && value != 0;
      if (value == 0) continue;
      if (p.alone && value == p.words.size()) {
        text += "," + std::string(p.key);
        continue;
      }
      text += only_numbers ? "," : "," + std::string(p.key) + "=";
      text += p.words.empty() ? std::to_string(value) : std::string(p.words[value - 1]);
    }
  }
  return text;
}

}  // namespace doall::schedules
