/* What the nests of nests.py read and call: for the programs that check them, of either compiler.
 * LENGTH, and ROW of rows in `ell`, come from the command line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Ends at a page that nobody may touch. */
static void* guarded(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* all = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + page, page, PROT_NONE) != 0) exit(3);
  return all + page - bytes;
}

/* Of which the compiler knows nothing: it may change whatever has an address, or never return. */
void unknown(int value) { (void)value; }

/* Rows that end at a negative number, before others that no array has. */
int* ell;
/* Where loops of 64 bits begin and end, in turns: of counters with a sign, then of others. */
long long* far;

static void fill_far(unsigned* seed) {
  enum { pairs = 12 };
  static const long long of_signed[pairs][2] = {
      {INT64_MAX, INT64_MIN},
      {0, INT64_MIN},
      {INT64_MAX, 0},
      {INT64_MAX - 2, INT64_MIN + 2},
      {-1, 5},
      {0, 7},
      {2, 2},
      {5, -1},
      {-9, -4},
      {INT64_MAX - 4, INT64_MAX - 1},
      {7, 0},
      {INT64_MIN, INT64_MIN + 3},
  };
  static const long long of_unsigned[pairs][2] = {
      {-1, 5}, {-2, -2},       {0, 7},          {-5, -2},
      {2, 2},  {INT64_MIN, 3}, {-1, INT64_MIN}, {INT64_MAX - 1, INT64_MIN + 2},
      {7, 0},  {INT64_MIN, 0}, {-1, INT64_MAX}, {INT64_MIN, INT64_MIN + 4},
  };
  for (int i = 0; i < LENGTH; ++i) {
    memcpy(far + 2 * i, of_signed[rand_r(seed) % pairs], sizeof *of_signed);
    memcpy(far + 2 * (LENGTH + i), of_unsigned[rand_r(seed) % pairs], sizeof *of_unsigned);
  }
}

static void fill_ell(unsigned* seed) {
  for (int i = 0; i < LENGTH; ++i) {
    const int ends = rand_r(seed) % (ROW + 1);
    for (int j = 0; j < ROW; ++j)
      ell[i * ROW + j] = j < ends    ? rand_r(seed) % LENGTH
                         : j == ends ? -1
                                     : 500000000 + rand_r(seed) % 500000000;
  }
}
