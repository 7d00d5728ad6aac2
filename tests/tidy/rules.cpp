#include "rules.hpp"

namespace tidy {

std::span<const rule> rules() {
  static constexpr rule all[] = {
      {"layering", check_layering},
      {"length", check_length},
      {"atomics", check_atomics},
      {"banned-call", check_banned_calls},
      {"leftover", check_leftovers},
      {"schedule-list", check_schedule_list},
      {"second-list", check_second_lists},
      {"tuned-number", check_tuned_numbers},
      {"dead-file", check_dead_files},
      {"rooms", check_rooms},
      {"memory-order", check_memory_orders},
      {"document-width", check_document_width},
  };
  return all;
}

std::vector<violation> check_all(const tree& files) {
  std::vector<violation> found;
  for (const rule& r : rules()) {
    reporter report(r.name, found);
    r.check(files, report);
  }
  return found;
}

}  // namespace tidy
