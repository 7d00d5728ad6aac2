// Atomic updates by function call, as compilers make them for types and operations that they do not
// expand: __kmpc_atomic_<type>_<operation>[_rev][_cpt][_<type of the operand>].
//
//   x_op        *x = *x op v                 x_op_rev       *x = v op *x
//   x_op_cpt    the same, and returns the old value, or the new one if `flag` is set
//   x_rd, _wr, _swp   read, write, exchange
//
// A value of up to 8 bytes is replaced by compare-and-swap. Larger ones (long double, complex) are
// updated under the lock that GOMP_atomic_start() takes: all code of the process that updates such
// a variable comes by one of the two.
#include <algorithm>
#include <complex>
#include <cstring>

#include "base/sync.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/locks.hpp"

namespace doall::omp {
namespace {

template <std::size_t Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = std::uint8_t;
};
template <>
struct word_of<2> {
  using type = std::uint16_t;
};
template <>
struct word_of<4> {
  using type = std::uint32_t;
};
template <>
struct word_of<8> {
  using type = std::uint64_t;
};

template <class T>
inline constexpr bool has_word = sizeof(T) <= 8;

struct under_lock {
  under_lock() { acquire(any_atomic); }
  ~under_lock() { any_atomic.unlock(); }
  under_lock(const under_lock&) = delete;
  under_lock& operator=(const under_lock&) = delete;
};

// Replaces *at by change(*at), and returns the old value or the new one.
template <class T, class Change>
T update(T* at, bool wants_new, Change change) {
  if constexpr (has_word<T>) {
    using word = typename word_of<sizeof(T)>::type;
    auto* words = reinterpret_cast<sync::atomic<word>*>(at);
    // Sequentially consistent: OpenMP's memory order of a construct is not passed.
    word before = words->load();
    for (;;) {
      T old;
      std::memcpy(static_cast<void*>(&old), &before, sizeof old);
      const T made = change(old);
      word after = 0;
      std::memcpy(&after, &made, sizeof made);
      if (words->compare_exchange_weak(before, after)) return wants_new ? made : old;
    }
  } else {
    const under_lock held;
    const T old = *at;
    const T made = change(old);
    *at = made;
    return wants_new ? made : old;
  }
}

template <class T>
T read(T* at) {
  if constexpr (has_word<T>) {
    using word = typename word_of<sizeof(T)>::type;
    const word now = reinterpret_cast<sync::atomic<word>*>(at)->load();
    T value;
    std::memcpy(static_cast<void*>(&value), &now, sizeof value);
    return value;
  } else {
    const under_lock held;
    return *at;
  }
}

// The operations. Integers are added, subtracted and multiplied without a sign: a sum may wrap.

#define BINARY(name, integer, other)                                 \
  struct name {                                                      \
    template <class A, class B>                                      \
    static auto of([[maybe_unused]] A a, [[maybe_unused]] B b) {     \
      if constexpr (std::is_integral_v<A> && std::is_same_v<A, B>) { \
        return static_cast<A>(integer);                              \
      } else {                                                       \
        return other;                                                \
      }                                                              \
    }                                                                \
  };
#define U(x) static_cast<std::uint64_t>(x)
BINARY(op_add, U(a) + U(b), a + b)
BINARY(op_sub, U(a) - U(b), a - b)
BINARY(op_mul, U(a) * U(b), a* b)
#undef U
BINARY(op_div, a / b, a / b)
BINARY(op_andb, a& b, a)
BINARY(op_orb, a | b, a)
BINARY(op_xor, a ^ b, a)
BINARY(op_neqv, a ^ b, a)
BINARY(op_eqv, ~(a ^ b), a)
BINARY(op_andl, a&& b, a)
BINARY(op_orl, a || b, a)
BINARY(op_shl, a << b, a)
BINARY(op_shr, a >> b, a)
BINARY(op_min, std::min(a, b), std::min(a, b))
BINARY(op_max, std::max(a, b), std::max(a, b))

using c4 = std::complex<float>;
using c8 = std::complex<double>;
using c10 = std::complex<long double>;

// C's complex types are passed as std::complex is laid out; functions that return one are declared
// with C's own type.
using cc4 = _Complex float;
using cc8 = _Complex double;
using cc10 = _Complex long double;

template <class T>
struct plain {
  using type = T;
};
template <>
struct plain<cc4> {
  using type = c4;
};
template <>
struct plain<cc8> {
  using type = c8;
};
template <>
struct plain<cc10> {
  using type = c10;
};
template <class T>
using plain_t = typename plain<T>::type;

template <class T>
plain_t<T> in(T value) {
  plain_t<T> same;
  std::memcpy(static_cast<void*>(&same), &value, sizeof same);
  return same;
}
template <class T>
T out(plain_t<T> value) {
  T same;
  std::memcpy(&same, static_cast<const void*>(&value), sizeof same);
  return same;
}

template <class Op, bool Reverse, class T, class V>
T change(T* at, V with, bool wants_new) {
  using P = plain_t<T>;
  const auto v = in(with);
  return out<T>(update(reinterpret_cast<P*>(at), wants_new, [&](P x) {
    if constexpr (Reverse) {
      return static_cast<P>(Op::of(static_cast<P>(v), x));
    } else if constexpr (std::is_same_v<P, std::remove_const_t<decltype(v)>>) {
      return static_cast<P>(Op::of(x, v));
    } else {
      using wide = std::remove_const_t<decltype(v)>;
      return static_cast<P>(Op::of(static_cast<wide>(x), v));
    }
  }));
}

template <class T>
T exchange(T* at, T value) {
  using P = plain_t<T>;
  return out<T>(update(reinterpret_cast<P*>(at), false, [&](P) { return in(value); }));
}

// Compares bytes, as a compare-and-swap does.
template <class T>
bool swap_if(T* at, T expected, T desired, T* seen) {
  T found = expected;
  auto* word = reinterpret_cast<sync::atomic<T>*>(at);
  const bool swapped = word->compare_exchange_strong(found, desired);
  *seen = swapped ? expected : found;
  return swapped;
}

// For a value of that many bytes, by the program's function(result, value, operand).
template <class T>
void by_function(T* at, void* operand, void (*function)(void*, void*, void*)) {
  update(at, true, [&](T old) {
    T made;
    function(&made, &old, operand);
    return made;
  });
}
void by_function_under_lock(void* at, void* operand, void (*function)(void*, void*, void*)) {
  const under_lock held;
  function(at, at, operand);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

#define UPDATE(type, T, op)                                                     \
  void __kmpc_atomic_##type##_##op(ident_t*, gtid_t, T* at, T v) {              \
    change<op_##op, false>(at, v, false);                                       \
  }                                                                             \
  T __kmpc_atomic_##type##_##op##_cpt(ident_t*, gtid_t, T* at, T v, int flag) { \
    return change<op_##op, false>(at, v, flag != 0);                            \
  }
#define REVERSIBLE(type, T, op)                                                     \
  UPDATE(type, T, op)                                                               \
  void __kmpc_atomic_##type##_##op##_rev(ident_t*, gtid_t, T* at, T v) {            \
    change<op_##op, true>(at, v, false);                                            \
  }                                                                                 \
  T __kmpc_atomic_##type##_##op##_cpt_rev(ident_t*, gtid_t, T* at, T v, int flag) { \
    return change<op_##op, true>(at, v, flag != 0);                                 \
  }
#define MIXED(type, T, op, other, V)                                         \
  void __kmpc_atomic_##type##_##op##_##other(ident_t*, gtid_t, T* at, V v) { \
    change<op_##op, false>(at, v, false);                                    \
  }
#define ACCESS(type, T)                                     \
  T __kmpc_atomic_##type##_rd(ident_t*, gtid_t, T* at) {    \
    return out<T>(read(reinterpret_cast<plain_t<T>*>(at))); \
  }                                                         \
  void __kmpc_atomic_##type##_wr(ident_t*, gtid_t, T* at, T v) { exchange(at, v); }
#define SWAP(type, T) \
  T __kmpc_atomic_##type##_swp(ident_t*, gtid_t, T* at, T v) { return exchange(at, v); }

#define ARITHMETIC(type, T) \
  UPDATE(type, T, add)      \
  UPDATE(type, T, mul)      \
  REVERSIBLE(type, T, sub)  \
  REVERSIBLE(type, T, div)
#define FIXED(type, T, without_sign)     \
  ARITHMETIC(type, T)                    \
  UPDATE(type, T, andb)                  \
  UPDATE(type, T, orb)                   \
  UPDATE(type, T, xor)                   \
  UPDATE(type, T, neqv)                  \
  UPDATE(type, T, eqv)                   \
  UPDATE(type, T, andl)                  \
  UPDATE(type, T, orl)                   \
  UPDATE(type, T, min)                   \
  UPDATE(type, T, max)                   \
  REVERSIBLE(type, T, shl)               \
  REVERSIBLE(type, T, shr)               \
  REVERSIBLE(type##u, without_sign, div) \
  REVERSIBLE(type##u, without_sign, shr) \
  MIXED(type, T, mul, float8, double)    \
  MIXED(type, T, div, float8, double)    \
  ACCESS(type, T)                        \
  SWAP(type, T)
#define FLOATING(type, T) \
  ARITHMETIC(type, T)     \
  UPDATE(type, T, min)    \
  UPDATE(type, T, max)    \
  ACCESS(type, T)         \
  SWAP(type, T)

FIXED(fixed1, std::int8_t, std::uint8_t)
FIXED(fixed2, std::int16_t, std::uint16_t)
FIXED(fixed4, std::int32_t, std::uint32_t)
FIXED(fixed8, std::int64_t, std::uint64_t)
FLOATING(float4, float)
FLOATING(float8, double)
FLOATING(float10, long double)
MIXED(float4, float, add, float8, double)
MIXED(float4, float, sub, float8, double)
MIXED(float4, float, mul, float8, double)
MIXED(float4, float, div, float8, double)
ARITHMETIC(cmplx8, cc8)
ACCESS(cmplx8, cc8)
SWAP(cmplx8, cc8)
ARITHMETIC(cmplx10, cc10)
ACCESS(cmplx10, cc10)
SWAP(cmplx10, cc10)

// Complex of two floats: what would be returned goes to *result.
#define COMPLEX4(op)                                                                              \
  void __kmpc_atomic_cmplx4_##op(ident_t*, gtid_t, cc4* at, cc4 v) {                              \
    change<op_##op, false>(at, v, false);                                                         \
  }                                                                                               \
  void __kmpc_atomic_cmplx4_##op##_cpt(ident_t*, gtid_t, cc4* at, cc4 v, cc4* result, int flag) { \
    *result = change<op_##op, false>(at, v, flag != 0);                                           \
  }                                                                                               \
  MIXED(cmplx4, cc4, op, cmplx8, cc8)
#define COMPLEX4_REVERSIBLE(op)                                                           \
  COMPLEX4(op)                                                                            \
  void __kmpc_atomic_cmplx4_##op##_rev(ident_t*, gtid_t, cc4* at, cc4 v) {                \
    change<op_##op, true>(at, v, false);                                                  \
  }                                                                                       \
  void __kmpc_atomic_cmplx4_##op##_cpt_rev(ident_t*, gtid_t, cc4* at, cc4 v, cc4* result, \
                                           int flag) {                                    \
    *result = change<op_##op, true>(at, v, flag != 0);                                    \
  }
COMPLEX4(add)
COMPLEX4(mul)
COMPLEX4_REVERSIBLE(sub)
COMPLEX4_REVERSIBLE(div)
ACCESS(cmplx4, cc4)
void __kmpc_atomic_cmplx4_swp(ident_t*, gtid_t, cc4* at, cc4 v, cc4* result) {
  *result = exchange(at, v);
}

#define COMPARE(bytes, T)                                                                          \
  bool __kmpc_atomic_bool_##bytes##_cas(ident_t*, gtid_t, T* at, T expected, T desired) {          \
    T seen;                                                                                        \
    return swap_if(at, expected, desired, &seen);                                                  \
  }                                                                                                \
  bool __kmpc_atomic_bool_##bytes##_cas_cpt(ident_t*, gtid_t, T* at, T expected, T desired,        \
                                            T* seen) {                                             \
    T found;                                                                                       \
    const bool swapped = swap_if(at, expected, desired, &found);                                   \
    if (!swapped) *seen = found;                                                                   \
    return swapped;                                                                                \
  }                                                                                                \
  T __kmpc_atomic_val_##bytes##_cas(ident_t*, gtid_t, T* at, T expected, T desired) {              \
    T seen;                                                                                        \
    swap_if(at, expected, desired, &seen);                                                         \
    return seen;                                                                                   \
  }                                                                                                \
  T __kmpc_atomic_val_##bytes##_cas_cpt(ident_t*, gtid_t, T* at, T expected, T desired, T* seen) { \
    T found;                                                                                       \
    const bool swapped = swap_if(at, expected, desired, &found);                                   \
    *seen = swapped ? desired : found;                                                             \
    return found;                                                                                  \
  }
COMPARE(1, std::int8_t)
COMPARE(2, std::int16_t)
COMPARE(4, std::int32_t)
COMPARE(8, std::int64_t)

#define BY_FUNCTION(bytes, T)                                           \
  void __kmpc_atomic_##bytes(ident_t*, gtid_t, void* at, void* operand, \
                             void (*function)(void*, void*, void*)) {   \
    by_function(static_cast<T*>(at), operand, function);                \
  }
#define BY_FUNCTION_UNDER_LOCK(bytes)                                   \
  void __kmpc_atomic_##bytes(ident_t*, gtid_t, void* at, void* operand, \
                             void (*function)(void*, void*, void*)) {   \
    by_function_under_lock(at, operand, function);                      \
  }
BY_FUNCTION(1, std::uint8_t)
BY_FUNCTION(2, std::uint16_t)
BY_FUNCTION(4, std::uint32_t)
BY_FUNCTION(8, std::uint64_t)
BY_FUNCTION_UNDER_LOCK(10)
BY_FUNCTION_UNDER_LOCK(16)
BY_FUNCTION_UNDER_LOCK(20)
BY_FUNCTION_UNDER_LOCK(32)

void __kmpc_atomic_start(void) { acquire(any_atomic); }
void __kmpc_atomic_end(void) { any_atomic.unlock(); }

}  // extern "C"
