// doall::schedule: how a parallel loop deals its iterations to the workers.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/named_schedules.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace doall {
inline namespace v0 {

// A schedule as a value: cheap to copy, made once or on the spot.
//
//   doall::schedule::guided(4)          by name
//   doall::schedule("guided,4,k=2")     from the grammar name[,number]...[,key=value]...
//   doall::schedule{}                   the runtime's default
//
// The functions by name are in named_schedules.hpp. `doall schedules` lists the names, their
// parameters and the papers they are from. A name or number that is not valid throws
// std::invalid_argument, with the message that the command line gives.
class schedule : public detail::named_schedules<schedule> {
 public:
  schedule() = default;
  explicit schedule(const std::string& text) : schedule(text.c_str()) {}
  explicit schedule(const char* text) {
    char why[512] = "";
    if (doall_schedule_parse(text, &raw_, why, sizeof why) != 0) {
      throw std::invalid_argument(why);
    }
  }

  // Converts to options, so a schedule can be passed in their place (options.hpp).
  operator loop_options() const;

  const doall_schedule* raw() const { return &raw_; }

 private:
  friend detail::named_schedules<schedule>;

  static schedule made(const char* name, const std::uint64_t* value) {
    schedule one;
    char why[512] = "";
    if (doall_schedule_make(name, value, &one.raw_, why, sizeof why) != 0) {
      throw std::invalid_argument(why);
    }
    return one;
  }
  static schedule named(const char* name) { return made(name, nullptr); }
  static schedule named(const char* name, std::uint64_t value) { return made(name, &value); }
  static schedule named(const char* name, std::uint64_t value, const char* key,
                        std::uint64_t other) {
    char text[128];
    std::snprintf(text, sizeof text, "%s,%" PRIu64 ",%s=%" PRIu64, name, value, key, other);
    return schedule(static_cast<const char*>(text));
  }

  doall_schedule raw_{};
};

}  // namespace v0
}  // namespace doall
