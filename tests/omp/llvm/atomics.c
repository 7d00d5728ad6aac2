/* LLVM's functions for atomic updates, called as compilers call them. */
#include <complex.h>
#include <omp.h>
#include <stdint.h>

#include "../check.h"

void __kmpc_atomic_fixed1_add(void*, int, int8_t*, int8_t);
void __kmpc_atomic_fixed2_sub_rev(void*, int, int16_t*, int16_t);
void __kmpc_atomic_fixed4_shl(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed4_max(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed4_eqv(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed4_andl(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed4_mul_float8(void*, int, int32_t*, double);
int32_t __kmpc_atomic_fixed4_add_cpt(void*, int, int32_t*, int32_t, int);
void __kmpc_atomic_fixed8u_shr(void*, int, uint64_t*, uint64_t);
void __kmpc_atomic_fixed8u_div_rev(void*, int, uint64_t*, uint64_t);
float __kmpc_atomic_float4_swp(void*, int, float*, float);
double __kmpc_atomic_float8_div_cpt_rev(void*, int, double*, double, int);
double __kmpc_atomic_float8_rd(void*, int, double*);
void __kmpc_atomic_float8_wr(void*, int, double*, double);
void __kmpc_atomic_float10_add(void*, int, long double*, long double);
void __kmpc_atomic_cmplx4_add_cpt(void*, int, float complex*, float complex, float complex*, int);
void __kmpc_atomic_cmplx8_mul(void*, int, double complex*, double complex);
_Bool __kmpc_atomic_bool_4_cas_cpt(void*, int, int32_t*, int32_t, int32_t, int32_t*);
int32_t __kmpc_atomic_val_4_cas(void*, int, int32_t*, int32_t, int32_t);
void __kmpc_atomic_8(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_20(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);

struct twenty {
  int words[5];
};
static void add_int64(void* result, void* value, void* operand) {
  *(int64_t*)result = *(int64_t*)value + *(int64_t*)operand;
}
static void add_twenty(void* result, void* value, void* operand) {
  for (int i = 0; i < 5; ++i) {
    ((struct twenty*)result)->words[i] =
        ((struct twenty*)value)->words[i] + ((struct twenty*)operand)->words[i];
  }
}

static void values(void) {
  int8_t tiny = 100;
  __kmpc_atomic_fixed1_add(0, 0, &tiny, 100);
  CHECK(tiny == -56);
  int16_t small = 3;
  __kmpc_atomic_fixed2_sub_rev(0, 0, &small, 10);
  CHECK(small == 7);
  int32_t x = 5;
  __kmpc_atomic_fixed4_shl(0, 0, &x, 2);
  CHECK(x == 20);
  __kmpc_atomic_fixed4_max(0, 0, &x, 30);
  __kmpc_atomic_fixed4_max(0, 0, &x, 25);
  CHECK(x == 30);
  __kmpc_atomic_fixed4_mul_float8(0, 0, &x, 1.5);
  CHECK(x == 45);
  CHECK(__kmpc_atomic_fixed4_add_cpt(0, 0, &x, 5, 0) == 45);
  CHECK(__kmpc_atomic_fixed4_add_cpt(0, 0, &x, 5, 1) == 55);
  __kmpc_atomic_fixed4_eqv(0, 0, &x, 55);
  CHECK(x == -1);
  __kmpc_atomic_fixed4_andl(0, 0, &x, 8);
  CHECK(x == 1);
  uint64_t u = UINT64_MAX;
  __kmpc_atomic_fixed8u_shr(0, 0, &u, 60);
  CHECK(u == 15);
  __kmpc_atomic_fixed8u_div_rev(0, 0, &u, 45);
  CHECK(u == 3);
  float f = 1.5f;
  CHECK(__kmpc_atomic_float4_swp(0, 0, &f, 2.5f) == 1.5f && f == 2.5f);
  double d = 4;
  CHECK(__kmpc_atomic_float8_div_cpt_rev(0, 0, &d, 2, 1) == 0.5 && d == 0.5);
  __kmpc_atomic_float8_wr(0, 0, &d, 8);
  CHECK(__kmpc_atomic_float8_rd(0, 0, &d) == 8);
  float complex z = 1, got = 0;
  __kmpc_atomic_cmplx4_add_cpt(0, 0, &z, 2 * I, &got, 1);
  CHECK(crealf(got) == 1 && cimagf(got) == 2);
  double complex w = 2 + I;
  __kmpc_atomic_cmplx8_mul(0, 0, &w, I);
  CHECK(creal(w) == -1 && cimag(w) == 2);
  int32_t seen = 0;
  x = 7;
  CHECK(!__kmpc_atomic_bool_4_cas_cpt(0, 0, &x, 8, 9, &seen) && seen == 7 && x == 7);
  CHECK(__kmpc_atomic_val_4_cas(0, 0, &x, 7, 9) == 7 && x == 9);
}

int main(void) {
  values();
  int64_t by_function = 0;
  int64_t one = 1;
  struct twenty many = {{0}}, ones = {{1, 2, 3, 4, 5}};
  long double wide = 0;
  int32_t count = 0;
  int under_lock = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) {
    __kmpc_atomic_8(0, 0, &by_function, &one, add_int64);
    __kmpc_atomic_20(0, 0, &many, &ones, add_twenty);
    __kmpc_atomic_float10_add(0, 0, &wide, 0.5L);
    __kmpc_atomic_fixed4_add_cpt(0, 0, &count, 3, 0);
    __kmpc_atomic_start();
    ++under_lock;
    __kmpc_atomic_end();
  }
  CHECK(by_function == 1000 && wide == 500 && count == 3000 && under_lock == 1000);
  for (int i = 0; i < 5; ++i) CHECK(many.words[i] == 1000 * (i + 1));
  return check_result();
}
