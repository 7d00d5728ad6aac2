/* What the C tests ask of C++: the schedules, and a sum to compare with. */
#ifndef EVERY_SCHEDULE_H
#define EVERY_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The text of schedule number i; NULL beyond the last. */
const char* every_schedule(size_t i);

/* The sum of term(i) over [0, n), by doall::parallel_reduce. */
double cpp_sum(int64_t n, double (*term)(int64_t));

#ifdef __cplusplus
}
#endif

#endif
