// The programs in C (cows_programs.inc) on the kernels' arrays.
#include "kernels/cows_programs.hpp"
#include "kernels/cows_bfs.hpp"
#include "kernels/cows_components.hpp"
#include "kernels/cows_k_committee.hpp"
#include "kernels/cows_leader_election.hpp"
#include "kernels/cows_pagerank.hpp"

namespace doall::bench {

void run_omp(k_committee& k, const cows_program_set& programs) {
  const cows_graph g = k.graph().for_c();
  programs.k_committee(&g, k_committee::hops, k_committee::phases, k.leaders_.data(),
                       k.least_.data(), k.new_least_.data());
}

void run_omp(leader_election& k, const cows_program_set& programs) {
  const cows_graph g = k.graph().for_c();
  programs.leader_election(&g, k.answer_.data(), k.answer_.data() + k.vertices(),
                           k.new_leaders_.data());
}

// The programs in C see atomic words as words.
static_assert(sizeof(sync::atomic<std::uint32_t>) == sizeof(std::uint32_t));

static std::uint32_t* words_of(std::vector<sync::atomic<std::uint32_t>>& all) {
  return reinterpret_cast<std::uint32_t*>(all.data());
}

void run_omp(cows_search& k, const cows_program_set& programs) {
  const cows_graph g = k.graph().for_c();
  programs.bfs(&g, k.graph().hub(), words_of(k.levels_));
}

void run_omp(rank_flow& k, const cows_program_set& programs) {
  const cows_graph g = k.graph().for_c();
  const int swapped = programs.pagerank(&g, k.first_dangling(), k.ranks_.data(),
                                        k.new_ranks_.data(), k.shares_.data());
  if (swapped != 0) k.advance();
}

void run_omp(label_flow& k, const cows_program_set& programs) {
  const cows_graph g = k.graph().for_c();
  programs.components(&g, words_of(k.labels_));
}

}  // namespace doall::bench
