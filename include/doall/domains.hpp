// Nested loops on a machine with several NUMA domains.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>

namespace doall {
inline namespace v0 {

// A body may take the numbers as int: they are small.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

// Runs body(d, n) for each of the n NUMA domains that this thread's loops run on, d = 0 to n - 1,
// all at the same time, each on a worker of its domain. Loops that the body starts run on that
// domain's workers alone, so data that a domain's loops touch stays in its memory:
//
//   doall::for_each_domain([&](unsigned d, unsigned n) {
//     doall::parallel_for(part(d, n).begin, part(d, n).end, body);
//   });
//
// On a machine with one domain, or inside a loop, body(0, 1) runs on the caller, and its loops run
// as usual. The first exception that leaves a body is rethrown when all have ended.
//
// Paper: fine-grain, section 3.3. Cost: one release and one join of the domains' first workers. The
// inner loops of a domain cost what loops of a team of its size do.
template <std::invocable<std::uint32_t, std::uint32_t> Body>
void for_each_domain(Body&& body) {
  struct call {
    std::remove_reference_t<Body>& body;
    std::atomic_flag failed = ATOMIC_FLAG_INIT;
    std::exception_ptr first_failure;
  } all{body, {}, {}};
  doall_run_on_domains(
      [](void* context, std::uint32_t domain, std::uint32_t domains) {
        auto& call_of = *static_cast<call*>(context);
        try {
          call_of.body(domain, domains);
        } catch (...) {
          if (!call_of.failed.test_and_set()) call_of.first_failure = std::current_exception();
        }
      },
      &all);
  if (all.first_failure) std::rethrow_exception(all.first_failure);
}
#pragma GCC diagnostic pop

}  // namespace v0
}  // namespace doall
