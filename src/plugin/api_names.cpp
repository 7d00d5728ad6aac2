// SPDX-License-Identifier: GPL-3.0-or-later
#include "api_names.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace doall::plugin {
namespace {

// In the order of their letters.
constexpr const char* names[] = {
    "omp_aligned_alloc",
    "omp_aligned_calloc",
    "omp_alloc",
    "omp_calloc",
    "omp_capture_affinity",
    "omp_control_tool",
    "omp_destroy_allocator",
    "omp_destroy_lock",
    "omp_destroy_nest_lock",
    "omp_display_affinity",
    "omp_display_env",
    "omp_free",
    "omp_fulfill_event",
    "omp_get_active_level",
    "omp_get_affinity_format",
    "omp_get_ancestor_thread_num",
    "omp_get_cancellation",
    "omp_get_default_allocator",
    "omp_get_default_device",
    "omp_get_device_from_uid",
    "omp_get_device_num",
    "omp_get_dynamic",
    "omp_get_initial_device",
    "omp_get_interop_int",
    "omp_get_interop_name",
    "omp_get_interop_ptr",
    "omp_get_interop_rc_desc",
    "omp_get_interop_str",
    "omp_get_interop_type_desc",
    "omp_get_level",
    "omp_get_mapped_ptr",
    "omp_get_max_active_levels",
    "omp_get_max_task_priority",
    "omp_get_max_teams",
    "omp_get_max_threads",
    "omp_get_nested",
    "omp_get_num_devices",
    "omp_get_num_interop_properties",
    "omp_get_num_places",
    "omp_get_num_procs",
    "omp_get_num_teams",
    "omp_get_num_threads",
    "omp_get_partition_num_places",
    "omp_get_partition_place_nums",
    "omp_get_place_num",
    "omp_get_place_num_procs",
    "omp_get_place_proc_ids",
    "omp_get_proc_bind",
    "omp_get_schedule",
    "omp_get_supported_active_levels",
    "omp_get_team_num",
    "omp_get_team_size",
    "omp_get_teams_thread_limit",
    "omp_get_thread_limit",
    "omp_get_thread_num",
    "omp_get_uid_from_device",
    "omp_get_wtick",
    "omp_get_wtime",
    "omp_in_explicit_task",
    "omp_in_final",
    "omp_in_parallel",
    "omp_init_allocator",
    "omp_init_lock",
    "omp_init_lock_with_hint",
    "omp_init_nest_lock",
    "omp_init_nest_lock_with_hint",
    "omp_is_initial_device",
    "omp_pause_resource",
    "omp_pause_resource_all",
    "omp_realloc",
    "omp_set_affinity_format",
    "omp_set_default_allocator",
    "omp_set_default_device",
    "omp_set_dynamic",
    "omp_set_lock",
    "omp_set_max_active_levels",
    "omp_set_nest_lock",
    "omp_set_nested",
    "omp_set_num_teams",
    "omp_set_num_threads",
    "omp_set_schedule",
    "omp_set_teams_thread_limit",
    "omp_target_alloc",
    "omp_target_associate_ptr",
    "omp_target_disassociate_ptr",
    "omp_target_free",
    "omp_target_is_accessible",
    "omp_target_is_present",
    "omp_target_memcpy",
    "omp_target_memcpy_async",
    "omp_target_memcpy_rect",
    "omp_target_memcpy_rect_async",
    "omp_target_memset",
    "omp_target_memset_async",
    "omp_test_lock",
    "omp_test_nest_lock",
    "omp_unset_lock",
    "omp_unset_nest_lock",
};

}  // namespace

bool is_of_api(tree function) {
  if (function == NULL_TREE || !DECL_EXTERNAL(function) || !TREE_PUBLIC(function) ||
      DECL_NAME(function) == NULL_TREE)
    return false;
  return std::binary_search(
      std::begin(names), std::end(names), IDENTIFIER_POINTER(DECL_NAME(function)),
      [](const char* one, const char* other) { return std::strcmp(one, other) < 0; });
}

}  // namespace doall::plugin
