# shellcheck shell=bash
# What scripts of this folder begin and end with. Goes to a folder that is removed at the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work
unset XDG_CONFIG_HOME DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE
failures=0
failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}
end() {
  echo "$failures failed"
  [ "$failures" -eq 0 ]
}
# Three functions of loops whose walks would take 2^60 steps each, if branches that meet were walked
# through once for each way to them, or values that are used twice said twice.
write_long() {
  echo 'void chain(int n, const int* len, const double* x, const double* y, double* out) {'
  echo '#pragma omp parallel for'
  echo 'for (int i = 0; i < n; ++i) { for (int j = 0; j < len[i]; ++j) out[i] += j;'
  for k in {1..60}; do echo "if (x[i] > $k && y[i] < $k && x[i + 1] > $k) out[i] = $k; else"; done
  echo 'out[i] = 0; } }'
  echo 'void squares(int n, double* out) {'
  echo '#pragma omp parallel for'
  echo 'for (int i = 0; i < n; ++i) { unsigned long x = i + 1;'
  for k in {1..60}; do echo "x = x * x + $k;"; done
  echo 'for (unsigned long j = 0; j < x % 100; ++j) out[i] += j; } }'
  echo 'void loops(int n, const int* len, const double* x, const double* y, double* out) {'
  echo '#pragma omp parallel for'
  echo 'for (int i = 0; i < n; ++i) {'
  for k in {1..60}; do echo "if (x[i] > $k && y[i] < $k) for (int j = 0; j < i; ++j) out[i] += $k; else"; done
  echo 'for (int j = 0; j < i; ++j) out[i] += j; } }'
}
# A loop with as many loops in it, one behind another.
write_loops() {
  echo 'void f(int n, const int* restrict row, double* restrict out) {'
  echo '#pragma omp parallel for'
  echo 'for (int i = 0; i < n; ++i) {'
  for ((k = 0; k < $1; ++k)); do echo "for (int j = row[i + $k]; j < row[i + $k + 1]; ++j) out[i] += $k.0 / (j + 1);"; done
  echo '} }'
}
