/* A region that shares more variables than calls have sizes spelt out for. */
#include "../check.h"

#define FOUR(M, p) M(p##0) M(p##1) M(p##2) M(p##3)
#define SIXTEEN(M, p) FOUR(M, p##0) FOUR(M, p##1) FOUR(M, p##2) FOUR(M, p##3)
#define MORE(M, p) SIXTEEN(M, p##0) SIXTEEN(M, p##1) SIXTEEN(M, p##2) SIXTEEN(M, p##3)
#define MANY(M, p) MORE(M, p##0) MORE(M, p##1) MORE(M, p##2) MORE(M, p##3)
#define ALL(M) MANY(M, a) MANY(M, b) MANY(M, c) MANY(M, d) MANY(M, e)

#define DEFINE(name) int name = ++count;
#define ADD(name) mine += name;

int main(void) {
  int count = 0;
  long sum = 0, threads = 0;
  ALL(DEFINE)
#pragma omp parallel reduction(+ : sum, threads)
  {
    long mine = 0;
    ALL(ADD)
    sum += mine;
    threads += 1;
  }
  CHECK(count == 1280);
  CHECK(sum == threads * count * (count + 1) / 2);
  return check_result();
}
