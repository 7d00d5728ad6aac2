/* How a loop over two or more dimensions is cut into tiles. C, C++ and Python share it.
 *
 * A space is the product of the ranges [0, length[d]). It is cut along each dimension into pieces
 * of tile[d] indices, the last one shorter. A tile is the product of one piece of each. Tiles are
 * numbered in row-major order, the last dimension fastest; a loop over a space is a loop over these
 * numbers, so every schedule deals tiles. Number and shape of the tiles depend on the space alone.
 */
#ifndef DOALL_TILES_H
#define DOALL_TILES_H

#include <doall/blocks.h>

#include <stddef.h>
#include <stdint.h>

#define DOALL_MOST_DIMENSIONS 8

typedef struct doall_space {
  uint32_t dimensions; /* 1 to DOALL_MOST_DIMENSIONS */
  uint64_t length[DOALL_MOST_DIMENSIONS];
  uint64_t tile[DOALL_MOST_DIMENSIONS]; /* 0: chosen, by doall_space_choose_tiles() */
} doall_space;

/* Indices first[d] to last[d] - 1 of each dimension. */
typedef struct doall_tile {
  uint64_t first[DOALL_MOST_DIMENSIONS];
  uint64_t last[DOALL_MOST_DIMENSIONS];
} doall_tile;

/* How many indices the space has; UINT64_MAX if there are more. */
DOALL_INLINE uint64_t doall_space_size(const doall_space* space) {
  uint64_t size = 1;
  for (uint32_t d = 0; d < space->dimensions; ++d) {
    if (space->length[d] == 0) return 0;
  }
  for (uint32_t d = 0; d < space->dimensions; ++d) {
    if (__builtin_mul_overflow(size, space->length[d], &size)) return UINT64_MAX;
  }
  return size;
}

/* Chooses the sides of a tile that are 0: of the last dimension 8 to 64, of the one before it up to
 * 64, of others 1.
 *
 * A tile of 64 by 64 doubles is 32 KiB, a first-level cache. A smaller space has smaller tiles, so
 * that there are about a thousand to balance by; but none of less than 8 in a row, which is a cache
 * line, unless a row is shorter. */
DOALL_INLINE void doall_space_choose_tiles(doall_space* space) {
  const uint64_t share = doall_space_size(space) / 1024;
  uint64_t side = 1;
  while (side < 64 && side * side < share) side *= 2;
  for (uint32_t d = 0; d < space->dimensions; ++d) {
    uint64_t chosen = 1;
    if (d + 1 == space->dimensions) chosen = side < 8 ? 8 : side;
    if (d + 2 == space->dimensions) chosen = side;
    if (space->tile[d] == 0) space->tile[d] = chosen;
    if (space->tile[d] > space->length[d]) space->tile[d] = space->length[d];
    if (space->tile[d] == 0) space->tile[d] = 1;
  }
}

DOALL_INLINE uint64_t doall_space_pieces(const doall_space* space, uint32_t d) {
  return space->length[d] == 0 ? 0 : (space->length[d] - 1) / space->tile[d] + 1;
}

/* How many tiles the space has, whose sides are chosen; UINT64_MAX if there are more. */
DOALL_INLINE uint64_t doall_space_tiles(const doall_space* space) {
  uint64_t tiles = 1;
  for (uint32_t d = 0; d < space->dimensions; ++d) {
    if (space->length[d] == 0) return 0;
  }
  for (uint32_t d = 0; d < space->dimensions; ++d) {
    if (__builtin_mul_overflow(tiles, doall_space_pieces(space, d), &tiles)) return UINT64_MAX;
  }
  return tiles;
}

/* Writes tile `number`. O(dimensions). */
DOALL_INLINE void doall_space_tile(const doall_space* space, uint64_t number, doall_tile* tile) {
  for (uint32_t d = space->dimensions; d-- > 0;) {
    const uint64_t pieces = doall_space_pieces(space, d);
    const uint64_t first = number % pieces * space->tile[d];
    const uint64_t left = space->length[d] - first;
    tile->first[d] = first;
    tile->last[d] = first + (left < space->tile[d] ? left : space->tile[d]);
    number /= pieces;
  }
}

#endif
