// Text by Pango and Cairo without linking them and without their headers: the functions that are used belong to ABIs that
// have not changed for many years, and are resolved with dlopen on first use. Linking would cost every process some twenty
// libraries, whether it draws text or not.
#ifndef CPANGO_H
#define CPANGO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads the libraries once for the process. NULL when they are there, else what is missing.
/// Every other function here may be called only after this returned NULL.
const char *_Nullable cpango_load(void);

/// Parts from 0 to 1, not multiplied by alpha.
typedef struct {
  double red, green, blue, alpha;
} CPangoColor;

typedef struct {
  int x, y, width, height;
} CPangoRect;

/// What is drawn; lengths are in pixels.
typedef struct {
  /// UTF-8, ended by zero.
  const char *_Nonnull text;
  bool is_markup;
  /// Pango's description, such as "Serif Bold"; its size does not count.
  const char *_Nonnull font;
  double size;
  /// Where lines are wrapped; 0: nowhere.
  int width;
  /// 0 leading, 1 middle, 2 trailing.
  int alignment;
  double spacing;
  CPangoColor color;
  double outline_width;
  CPangoColor outline;
  double shadow_x, shadow_y;
  CPangoColor shadow;
  double padding, corner_radius;
  CPangoColor background;
} CPangoText;

typedef struct CPangoLayout CPangoLayout;

/// The largest font, in pixels; markup may make parts of a text larger, up to four times of it.
#define CPANGO_MAXIMUM_SIZE 2000

/// Whether any font is installed: without, versions of Pango draw empty boxes, or of senseless sizes.
bool cpango_has_font(void);

/// Lays text out. NULL for markup that is none, with libglib's words in `why`, and without memory.
CPangoLayout *_Nullable cpango_make(const CPangoText *_Nonnull text, char *_Nonnull why, size_t size);
void cpango_free(CPangoLayout *_Nonnull layout);
/// The box of the lines with its padding, whose corner is the origin, and that of all that is painted.
void cpango_measure(const CPangoLayout *_Nonnull layout, CPangoRect *_Nonnull box, CPangoRect *_Nonnull painted);
/// Draws what lies in `painted` into rows of BGRA, which are zero before; colours come out not multiplied by alpha, also
/// where nothing is painted: what samples colours between pixels finds no black there. False without memory.
bool cpango_draw(
    CPangoLayout *_Nonnull layout, uint8_t *_Nonnull pixels, int stride, const CPangoRect *_Nonnull painted);
#endif
