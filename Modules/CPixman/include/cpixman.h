// pixman without linking it and without its headers: the few functions that are used belong to an ABI that has not
// changed since 0.16, and are resolved with dlopen on first use.
#ifndef CPIXMAN_H
#define CPIXMAN_H

#include <stdbool.h>
#include <stdint.h>

/// Loads libpixman once for the process; false when there is none.
bool cpixman_load(void);

/// Draws a plane of bytes through a map into another one: every sample between four of the source, those beyond its edges
/// the nearest ones.
///
/// `map` holds what a target's column and row become in the source: xx, xy, x0, yx, yy, y0, counted from the middles of
/// samples as pixman does. Rows lie a multiple of four bytes apart. False where numbers are too large for pixman's
/// 16 bits before the point. Only after `cpixman_load` returned true.
bool cpixman_transform(
    const uint8_t *_Nonnull source, int source_width, int source_height, int source_stride,
    uint8_t *_Nonnull target, int target_width, int target_height, int target_stride,
    const double map[_Nonnull 6]);
#endif
