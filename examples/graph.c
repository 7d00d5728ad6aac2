/* Edge lists: from a file, and into compressed sparse rows by one counting sort. */
#include "graph.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

graph graph_from_edges(size_t vertices, const edge* list, size_t count) {
  graph g = {.vertices = vertices, .edges = count};
  g.first_in = allocate(vertices + 1, sizeof *g.first_in, "vertices");
  g.in = allocate(count, sizeof *g.in, "edges");
  g.out_degree = allocate(vertices, sizeof *g.out_degree, "vertices");
  memset(g.first_in, 0, (vertices + 1) * sizeof *g.first_in);
  memset(g.out_degree, 0, vertices * sizeof *g.out_degree);

  for (size_t e = 0; e < count; ++e) {
    ++g.first_in[list[e].to];
    ++g.out_degree[list[e].from];
  }
  for (size_t v = 0, sum = 0; v <= vertices; ++v) {
    sum += g.first_in[v];
    g.first_in[v] = sum; /* where v's in-edges end */
  }
  for (size_t e = count; e-- > 0;) { /* filled from its end, each row's first entry stays behind */
    g.in[--g.first_in[list[e].to]] = list[e].from;
  }
  return g;
}

void graph_free(graph* g) {
  free(g->first_in);
  free(g->in);
  free(g->out_degree);
  free(g->name);
}

typedef struct edge_list {
  edge* at;
  size_t count;
  size_t capacity;
} edge_list;

static void append(edge_list* list, uint32_t from, uint32_t to) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity > 0 ? 2 * list->capacity : 1 << 16;
    edge* larger = allocate(list->capacity, sizeof *larger, "edges");
    if (list->count > 0) memcpy(larger, list->at, list->count * sizeof *larger);
    free(list->at);
    list->at = larger;
  }
  list->at[list->count++] = (edge){from, to};
}

/* The set of vertex numbers that occur in a SNAP file: a bit for each number up
 * to the largest, in words, grown as needed. */
typedef struct number_set {
  uint64_t* word;
  size_t words;
  size_t size;
} number_set;

static void insert(number_set* set, uint32_t number) {
  const size_t w = number / 64;
  if (w >= set->words) {
    const size_t words = 2 * w + 1024;
    uint64_t* larger = allocate(words, sizeof *larger, "vertex numbers, 64 at a time");
    memset(larger, 0, words * sizeof *larger);
    if (set->words > 0) memcpy(larger, set->word, set->words * sizeof *larger);
    free(set->word);
    set->word = larger;
    set->words = words;
  }
  const uint64_t bit = UINT64_C(1) << number % 64;
  set->size += (set->word[w] & bit) == 0;
  set->word[w] |= bit;
}

/* Numbers the vertices densely, in the order of their numbers in the file, which
 * `name` keeps. O(largest number / 64 + vertices + edges). */
static uint32_t* make_dense(const number_set* set, edge_list* list) {
  uint32_t* name = allocate(set->size, sizeof *name, "vertices");
  uint32_t* before = allocate(set->words, sizeof *before, "vertex numbers, 64 at a time");
  uint32_t count = 0;
  for (size_t w = 0; w < set->words; ++w) {
    before[w] = count;
    for (uint64_t bits = set->word[w]; bits != 0; bits &= bits - 1) {
      name[count++] = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
    }
  }
  for (size_t e = 0; e < list->count; ++e) {
    uint32_t* ends[] = {&list->at[e].from, &list->at[e].to};
    for (int i = 0; i < 2; ++i) {
      const uint32_t number = *ends[i];
      const uint64_t lower = set->word[number / 64] & ((UINT64_C(1) << number % 64) - 1);
      *ends[i] = before[number / 64] + (uint32_t)__builtin_popcountll(lower);
    }
  }
  free(before);
  return name;
}

/* A number as the file has it; one too large for 64 bits, or below 0, has the
 * value UINT64_MAX, which no check lets pass. */
typedef struct number {
  uint64_t value;
  const char* text;
  int length;
} number;

/* Reads text that is two whole numbers and nothing else; 0 if it is not. */
static int read_pair(const char* at, const char* end, number pair[2]) {
  for (int i = 0; i < 2; ++i) {
    at += strspn(at, " \t");
    pair[i] = (number){.text = at, .length = (int)strcspn(at, " \t")};
    const int negative = *at == '-';
    at += negative;
    if (!isdigit((unsigned char)*at)) return 0;
    for (; isdigit((unsigned char)*at); ++at) {
      const uint64_t digit = (uint64_t)(*at - '0'), value = pair[i].value;
      pair[i].value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : 10 * value + digit;
    }
    if (negative) pair[i].value = UINT64_MAX;
    if (at != pair[i].text + pair[i].length) return 0;
  }
  return at + strspn(at, " \t") == end;
}

/* Reads an edge between vertices from `lowest` to `highest`. */
static edge read_edge(const text_file* file, const char* line, size_t length, uint32_t lowest,
                      uint32_t highest) {
  number ends[2];
  if (!read_pair(line, line + length, ends)) {
    text_fail(file, "not an edge: expected two vertex numbers, found \"%.40s\"", line);
  }
  for (int i = 0; i < 2; ++i) {
    if (ends[i].value < lowest || ends[i].value > highest) {
      text_fail(file, "vertex %.*s is out of range: expected %u to %u", ends[i].length,
                ends[i].text, lowest, highest);
    }
  }
  return (edge){(uint32_t)ends[0].value, (uint32_t)ends[1].value};
}

/* Many vertices without edges are refused: one wrong digit in a header would
 * else ask for all the memory there is. */
static void check_header(const text_file* file, uint64_t vertices, uint64_t edges) {
  const uint64_t modest = UINT64_C(1) << 24;
  if (vertices > graph_vertices_max || (vertices > modest && vertices / 64 > edges)) {
    text_fail(file,
              "a header of %" PRIu64 " vertices and %" PRIu64
              " edges: expected at most %d vertices,"
              " and beyond %" PRIu64 " at most 64 for each edge",
              vertices, edges, graph_vertices_max, modest);
  }
}

static void check_complete(const text_file* file, size_t edges, uint64_t promised) {
  if (edges < promised) {
    text_fail(file, "ends after %zu of the %" PRIu64 " edges its header promises: truncated?",
              edges, promised);
  }
}

/* Both readers start with the file's first line that is not empty. */

static graph read_snap(text_file* file, const char* line, size_t length) {
  uint64_t vertices = 0, edges = 0; /* as the header has them */
  int has_header = 0;
  edge_list list = {0};
  number_set numbers = {0};

  for (; line != NULL; line = text_next_line(file, &length)) {
    char nodes[21], lines[21];
    if (length == 0) continue;
    if (*line != '#') {
      const edge e = read_edge(file, line, length, 0, graph_vertices_max - 1);
      append(&list, e.from, e.to);
      insert(&numbers, e.from);
      insert(&numbers, e.to);
      if (has_header && numbers.size > vertices) {
        text_fail(file, "edge %u %u makes %zu vertices: expected the header's %" PRIu64, e.from,
                  e.to, numbers.size, vertices);
      }
    } else if (sscanf(line, "# Nodes: %20[0-9] Edges: %20[0-9]", nodes, lines) == 2) {
      has_header = 1;
      vertices = strtoull(nodes, NULL, 10);
      edges = strtoull(lines, NULL, 10);
      check_header(file, vertices, edges);
    }
  }
  if (!has_header && list.count == 0) text_fail(file, "not a graph: it has no edges and no header");
  check_complete(file, list.count, edges);

  /* Vertices without edges have no number in the file: they get the smallest left. */
  for (uint32_t number = 0; numbers.size < vertices; ++number) insert(&numbers, number);
  uint32_t* name = make_dense(&numbers, &list);
  graph g = graph_from_edges(numbers.size, list.at, list.count);
  g.name = name;
  free(numbers.word);
  free(list.at);
  return g;
}

static graph read_pace(text_file* file, const char* line, size_t length) {
  number header[2] = {0};
  edge_list list = {0};
  size_t edges = 0;
  int has_header = 0;

  for (; line != NULL; line = text_next_line(file, &length)) {
    if (length == 0 || strcmp(line, "c") == 0 || strncmp(line, "c ", 2) == 0) continue;
    if (!has_header) {
      has_header = strncmp(line, "p tw ", 5) == 0 && read_pair(line + 5, line + length, header);
      if (!has_header) {
        text_fail(file, "not a PACE graph: expected \"p tw VERTICES EDGES\", found \"%.40s\"",
                  line);
      }
      check_header(file, header[0].value, header[1].value);
      continue;
    }
    if (edges == header[1].value) {
      text_fail(file, "goes on after the %zu edges its header promises: \"%.40s\"", edges, line);
    }
    const edge e = read_edge(file, line, length, 1, (uint32_t)header[0].value);
    append(&list, e.from - 1, e.to - 1);
    append(&list, e.to - 1, e.from - 1);
    ++edges;
  }
  if (!has_header) text_fail(file, "not a PACE graph: it has no line \"p tw VERTICES EDGES\"");
  check_complete(file, edges, header[1].value);

  graph g = graph_from_edges(header[0].value, list.at, list.count);
  g.name = allocate(g.vertices, sizeof *g.name, "vertices");
  for (size_t v = 0; v < g.vertices; ++v) g.name[v] = (uint32_t)v + 1;
  free(list.at);
  return g;
}

graph graph_read(const char* path) {
  text_file* file = text_open(path);
  size_t length = 0;
  const char* line;
  do {
    line = text_next_line(file, &length);
    if (line == NULL) text_fail(file, "not a graph: the file is empty");
  } while (length == 0);

  graph g;
  if (*line == 'c' || *line == 'p') {
    g = read_pace(file, line, length);
  } else if (*line == '#' || isdigit((unsigned char)*line)) {
    g = read_snap(file, line, length);
  } else {
    text_fail(file,
              "not a graph: expected SNAP text (\"# comment\" or \"FROM TO\") or PACE"
              " (\"c comment\" or \"p tw VERTICES EDGES\"), found \"%.40s\"",
              line);
  }
  text_close(file);
  return g;
}
