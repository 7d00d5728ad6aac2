/* The innermost parallel loops of LBS's eight programs (section 4), in plain OpenMP: matmult, conv,
 * FW, qs, bfs, SpMV, tsp, queens, in this order. The compiler's ppt of each is compared with the
 * paper's Table 2. One of them runs. */
#include <omp.h>
#include <stdio.h>

void matmult(int n, const float* a, const float* b, float* c) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

void convolution(int side, int width, const float* image, const float* filter, float* out) {
#pragma omp parallel for collapse(2)
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      float sum = 0;
      for (int v = 0; v < width; ++v)
        for (int u = 0; u < width; ++u)
          sum += filter[v * width + u] * image[(y + v) * (side + width) + x + u];
      out[y * side + x] = sum;
    }
}

void floyd_warshall(int n, int via, int from, int* distance) {
#pragma omp parallel for
  for (int to = 0; to < n; ++to) {
    const int length = distance[from * n + via] + distance[via * n + to];
    if (length < distance[from * n + to]) distance[from * n + to] = length;
  }
}

/* A partition: each element finds its place by a prefix sum. */
int quicksort(int n, int pivot, const int* from, int* below, int* above, int* places) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const int value = from[i];
    int place;
    if (value < pivot) {
#pragma omp atomic capture
      place = places[0]++;
      below[place] = value;
    } else {
#pragma omp atomic capture
      place = places[1]++;
      above[place] = value;
    }
  }
  return places[0];
}

/* The edges of a vertex: each tries to be the first at its end. */
void breadth_first(long first, long last, const int* to, int* gate, int* level, int depth,
                   int* found, int* next) {
#pragma omp parallel for
  for (long e = first; e < last; ++e) {
    const int v = to[e];
    int was;
#pragma omp atomic capture
    {
      was = gate[v];
      gate[v] = 1;
    }
    if (was == 0) {
      int place;
#pragma omp atomic capture
      place = (*found)++;
      level[v] = depth;
      next[place] = v;
    }
  }
}

double sparse(long first, long last, const double* value, const int* column, const double* x) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long j = first; j < last; ++j) sum += value[j] * x[column[j]];
  return sum;
}

static int shortest;
void tsp(int n, unsigned left, int at, int length, const int* distance) {
  if (left == 0 && length < shortest) shortest = length;
#pragma omp parallel for
  for (int next = 0; next < n; ++next)
    if ((left & 1U << next) != 0)
      tsp(n, left & ~(1U << next), next, length + distance[at * n + next], distance);
}

static int solutions;
void queens(int n, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == n) {
#pragma omp atomic
    ++solutions;
    return;
  }
#pragma omp parallel for
  for (int c = 0; c < n; ++c) {
    const unsigned bit = 1U << c;
    if (((columns | left | right) & bit) == 0)
      queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
}

int main(void) {
  enum { n = 1000 };
  static int distance[3 * n];
  for (int i = 0; i < 3 * n; ++i) distance[i] = i % 100;
  floyd_warshall(n, 1, 2, distance);
  shortest = n;
  tsp(3, 7, 0, 0, distance);
  queens(4, 0, 0, 0, 0);
  printf("%d %d\n", distance[2 * n + 7], solutions);
}
