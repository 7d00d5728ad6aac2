#include "sites/site.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "base/fork.hpp"
#include "base/no_memory.hpp"
#include "base/unload.hpp"
#include "doall/detail/site_word.hpp"
#include "sites/choices.hpp"
#include "sites/site_index.hpp"
#include "sites/site_memory.hpp"

namespace doall::team {
namespace {

constexpr std::uint32_t first_bits = 8;
constexpr const char* crowd_name = "loops beyond those that are told apart";

constinit base::lone_mutex sites_lock;
[[maybe_unused]] const int sites_lock_is_free = base::free_in_children<sites_lock>();

constinit site_index<loop_site, most_sites, sites_a_block, first_bits> the_sites;
constinit std::array<loop_site, crowd_sites> the_crowd;

// For sites that have no memory for their own.
constinit decide::site_times shared_times;

const base::at_unload free_sites([] {
  free_memory();
  for (std::uint32_t number = 1; number <= the_sites.made(); ++number)
    the_sites.numbered(number)->free_times();
  for (loop_site& site : the_crowd) site.free_times();
  the_sites.free();
});

loop_site& crowd_of(std::uint64_t hash) {
  static_assert(crowd_sites == 64);
  return the_crowd[hash >> 58];
}

[[gnu::noinline]] loop_site& find_or_add(const site_key& key, std::uint64_t hash) {
  loop_site* const found = the_sites.find_or_add(key, hash, sites_lock);
  if (found == nullptr) return crowd_of(hash);
  note_met(*found);
  return *found;
}

}  // namespace

decide::site_times* loop_site::new_times() {
  return base::or_null([] { return new (std::nothrow) decide::site_times; });
}

decide::site_times& loop_site::times_of_others() { return shared_times; }

loop_site& site_of(const site_key& key) {
  const std::uint64_t hash = loop_site::hash_of(key);
  loop_site* const found = the_sites.find(key, hash);
  return found != nullptr ? *found : find_or_add(key, hash);
}

loop_site& site_of(const doall_loop& loop) {
  const site_key key = key_of(loop);
  if (loop.site == nullptr) return site_of(key);
  const sync::atomic_ref<std::uint64_t> word(loop.site->word);
  // (1) relaxed; alone: a hint; the key is compared
  const detail::site_word told(word.load(sync::relaxed));
  loop_site* const numbered = the_sites.numbered(told.number());
  if (numbered != nullptr && numbered->is_of(key)) return *numbered;
  loop_site& found = site_of(key);
  // The first of several lines that share a body keeps the number: they do not overwrite each
  // other's.
  if (numbered == nullptr && !found.is_crowd()) {
    // (2) relaxed; alone: as (1); what another thread tells meanwhile is told again
    word.store(told.with_number(found.number()).raw(), sync::relaxed);
  }
  return found;
}

observe::site* record_of(const site_key& key, observe::site_kind kind, const char* door,
                         const char* function, const void* region) {
  if (!observe::enabled()) return nullptr;
  loop_site& site = site_of(key);
  if (site.is_crowd()) {
    return find_site(site.records, {.kind = kind, .door = door, .function = crowd_name});
  }
  return find_site(site.records, {kind, door, key.code, key.file, function, key.line, region});
}

observe::counting count_execution(const site_key& key, observe::site_kind kind, const char* door,
                                  const char* function, const void* region,
                                  std::uint32_t outer_threads) {
  observe::site* const found = record_of(key, kind, door, function, region);
  if (found == nullptr) return {};
  observe::counting as = observe::count_next(found);
  as.outer_threads = static_cast<std::uint16_t>(std::min<std::uint32_t>(outer_threads, 0xffff));
  return as;
}

std::uint32_t count_sites() { return the_sites.made(); }

}  // namespace doall::team
