// SPDX-License-Identifier: GPL-3.0-or-later
// The plugin as GCC sees it: reads the options and registers the passes.
//
// A plugin fits one major version of GCC for one target. With another one it does nothing, so that
// the file is compiled as GCC alone would. It does nothing either in a compilation without OpenMP,
// and none of its own options is left in what GCC records of the command line.
#include "plugin.hpp"

#include "diagnostic-core.h"
#include "options.h"
#include "opts.h"
#include "plugin-version.h"
#include "toplev.h"

#include <algorithm>
#include <cstring>

// GCC looks for these two by their names.
#pragma GCC visibility push(default)
int plugin_is_GPL_compatible;
int plugin_init(plugin_name_args* info, plugin_gcc_version* version);
#pragma GCC visibility pop

namespace doall::plugin {

options asked;
std::vector<loop_facts> loops;

namespace {

bool same_major(const char* one, const char* other) {
  return std::strtol(one, nullptr, 10) == std::strtol(other, nullptr, 10);
}

// What GCC was configured to compile for; empty: its arguments do not say.
std::string target_of(const char* configured) {
  const std::string all = configured;
  const std::string option = "--target=";
  const size_t at = all.find(option);
  if (at == std::string::npos) return {};
  return all.substr(at + option.size(), all.find_first_of(" '", at) - at - option.size());
}

bool same_target(const char* one, const char* other) {
  const std::string a = target_of(one);
  const std::string b = target_of(other);
  return a.empty() || b.empty() || a == b;
}

void read(const plugin_name_args& given) {
  for (int i = 0; i < given.argc; ++i) {
    const std::string key = given.argv[i].key;
    if (key == "steer-static") asked.steers_static = true;
    if (key == "steer-nowait") asked.steers_nowait = true;
    if (key == "no-cost-runtime") asked.costs_runtime = false;
    if (key == "warn") asked.warns = true;
    if (key == "no-kept") asked.keeps = false;
    if (key == "no-uniform") asked.knows_uniform = false;
    if (key == "no-guards") asked.respects_guards = false;
    if (key == "explain") asked.explains = true;
    if (key == "prices" && given.argv[i].value != nullptr) asked.price.read(given.argv[i].value);
    if (key == "schedule" && given.argv[i].value != nullptr) {
      std::string name = given.argv[i].value;
      if (!is_wrong_name(name.c_str()))
        std::replace(name.begin(), name.end(), ':', '=');  // GCC itself would cut it there
      asked.names.push_back(name);
    }
    if (key == "report" && given.argv[i].value != nullptr) asked.report = given.argv[i].value;
  }
}

// Debug information and -frecord-gcc-switches name the options of the command line. Objects are
// the same with and without the plugin unless a loop is steered.
void leave_no_trace(const char* name) {
  unsigned kept = 0;
  for (unsigned i = 0; i < save_decoded_options_count; ++i) {
    const cl_decoded_option& option = save_decoded_options[i];
    const bool of_plugins =
        option.opt_index == OPT_fplugin_ || option.opt_index == OPT_fplugin_arg_;
    if (of_plugins && option.arg != nullptr && std::strstr(option.arg, name) != nullptr) continue;
    const bool of_driver = option.opt_index == OPT_D && option.arg != nullptr &&
                           std::strcmp(option.arg, "__DOALL__=1") == 0;
    if (of_driver) continue;
    save_decoded_options[kept++] = option;
  }
  save_decoded_options_count = kept;
}

}  // namespace
}  // namespace doall::plugin

int plugin_init(plugin_name_args* info, plugin_gcc_version* version) {
  using namespace doall::plugin;
  leave_no_trace(info->base_name);
  if (!same_major(version->basever, gcc_version.basever) ||
      !same_target(version->configuration_arguments, gcc_version.configuration_arguments))
    return 0;
  read(*info);
  register_steering(info->base_name);
  register_entries(info->base_name);
  register_handing_over(info->base_name);
  register_costs(info->base_name);
  register_wrong_names(info->base_name);
  register_report(info->base_name);
  return 0;
}
