#include "cpango.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// From the headers of Pango, Cairo and GLib: numbers and types of their ABIs.
enum { UNITS = 1024, WRAP_WORD_CHAR = 2, FORMAT_ARGB32 = 0, JOIN_ROUND = 1, ANTIALIAS_GRAY = 2, HINT_NONE = 1 };
typedef struct {
  uint32_t domain;
  int code;
  char *message;
} failure;
typedef void object;

// Every function that is used, once: the table, and the loop that fills it, follow from these lists.
#define PANGO(each) \
  each(void, pango_layout_set_text, (object *, const char *, int)) \
  each(void, pango_layout_set_markup, (object *, const char *, int)) \
  each(void, pango_layout_set_font_description, (object *, const object *)) \
  each(void, pango_layout_set_width, (object *, int)) \
  each(void, pango_layout_set_wrap, (object *, int)) \
  each(void, pango_layout_set_alignment, (object *, int)) \
  each(void, pango_layout_set_spacing, (object *, int)) \
  each(void, pango_layout_get_pixel_extents, (object *, CPangoRect *, CPangoRect *)) \
  each(object *, pango_layout_get_context, (object *)) \
  each(void, pango_layout_context_changed, (object *)) \
  each(object *, pango_context_load_font, (object *, const object *)) \
  each(object *, pango_font_description_from_string, (const char *)) \
  each(void, pango_font_description_free, (object *)) \
  each(void, pango_font_description_set_absolute_size, (object *, double)) \
  each(int, pango_font_description_get_size, (const object *)) \
  each(int, pango_font_description_get_size_is_absolute, (const object *)) \
  each(object *, pango_attr_list_get_iterator, (object *)) \
  each(int, pango_attr_iterator_next, (object *)) \
  each(void, pango_attr_iterator_get_font, (object *, object *, object **, object **)) \
  each(void, pango_attr_iterator_destroy, (object *)) \
  each(void, pango_attr_list_unref, (object *)) \
  each(int, pango_parse_markup, (const char *, int, uint32_t, object **, char **, uint32_t *, failure **))
#define PANGO_CAIRO(each) \
  each(object *, pango_cairo_create_layout, (object *)) \
  each(void, pango_cairo_update_layout, (object *, object *)) \
  each(void, pango_cairo_show_layout, (object *, object *)) \
  each(void, pango_cairo_layout_path, (object *, object *)) \
  each(void, pango_cairo_context_set_font_options, (object *, const object *))
#define CAIRO(each) \
  each(object *, cairo_image_surface_create_for_data, (uint8_t *, int, int, int, int)) \
  each(void, cairo_surface_flush, (object *)) \
  each(void, cairo_surface_destroy, (object *)) \
  each(object *, cairo_create, (object *)) \
  each(void, cairo_destroy, (object *)) \
  each(int, cairo_status, (object *)) \
  each(void, cairo_translate, (object *, double, double)) \
  each(void, cairo_set_source_rgba, (object *, double, double, double, double)) \
  each(void, cairo_move_to, (object *, double, double)) \
  each(void, cairo_new_path, (object *)) \
  each(void, cairo_close_path, (object *)) \
  each(void, cairo_arc, (object *, double, double, double, double, double)) \
  each(void, cairo_fill, (object *)) \
  each(void, cairo_stroke, (object *)) \
  each(void, cairo_push_group, (object *)) \
  each(void, cairo_pop_group_to_source, (object *)) \
  each(void, cairo_paint_with_alpha, (object *, double)) \
  each(void, cairo_set_line_width, (object *, double)) \
  each(void, cairo_set_line_join, (object *, int)) \
  each(object *, cairo_font_options_create, (void)) \
  each(void, cairo_font_options_destroy, (object *)) \
  each(void, cairo_font_options_set_antialias, (object *, int)) \
  each(void, cairo_font_options_set_hint_style, (object *, int)) \
  each(void, cairo_font_options_set_hint_metrics, (object *, int))
#define GOBJECT(each) each(void, g_object_unref, (object *))
#define GLIB(each) each(void, g_error_free, (failure *))

#define MEMBER(result, name, arguments) result(*name) arguments;
static struct {
  PANGO(MEMBER) PANGO_CAIRO(MEMBER) CAIRO(MEMBER) GOBJECT(MEMBER) GLIB(MEMBER)
} api;

static const char *missing = "libpango can't be loaded";
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef __APPLE__
#define LIBRARY(name, number) "lib" name "." number ".dylib"
#else
#define LIBRARY(name, number) "lib" name ".so." number
#endif

static void load(void) {
  void *library;
#define RESOLVE(result, name, arguments) \
  api.name = (__typeof__(api.name))dlsym(library, #name); \
  if (!api.name) return;
#define LOAD(file, list) \
  missing = file " can't be loaded"; \
  library = dlopen(file, RTLD_NOW | RTLD_LOCAL); \
  if (!library) return; \
  missing = file " is too old"; \
  list(RESOLVE)
  LOAD(LIBRARY("glib-2.0", "0"), GLIB)
  LOAD(LIBRARY("gobject-2.0", "0"), GOBJECT)
  LOAD(LIBRARY("cairo", "2"), CAIRO)
  LOAD(LIBRARY("pango-1.0", "0"), PANGO)
  LOAD(LIBRARY("pangocairo-1.0", "0"), PANGO_CAIRO)
  missing = NULL;
}

const char *cpango_load(void) {
  pthread_once(&once, load);
  return missing;
}

struct CPangoLayout {
  object *layout;
  CPangoText text;
  CPangoRect box, painted;
};

static bool shows(CPangoColor color) { return color.alpha > 0; }

static void unite(CPangoRect *rect, double x, double y, double width, double height) {
  double left = fmin(rect->x, floor(x)), top = fmin(rect->y, floor(y));
  double right = fmax(rect->x + rect->width, ceil(x + width));
  double bottom = fmax(rect->y + rect->height, ceil(y + height));
  // Nobody asks for pictures that large: what is cut here is refused by its size.
  const double most = 1 << 24;
  *rect = (CPangoRect){
      (int)fmax(-most, left), (int)fmax(-most, top), (int)fmin(most, right - left), (int)fmin(most, bottom - top)};
}

static void measure(CPangoLayout *made) {
  CPangoRect ink, lines;
  api.pango_layout_get_pixel_extents(made->layout, &ink, &lines);
  const CPangoText *text = &made->text;
  if (text->width > 0) lines.x = 0, lines.width = text->width;
  CPangoRect box = {lines.x, lines.y, 0, 0};
  unite(&box, lines.x - text->padding, lines.y - text->padding, lines.width + 2 * text->padding,
        lines.height + 2 * text->padding);
  made->box = box;
  double edge = shows(text->outline) ? text->outline_width : 0;
  unite(&box, ink.x - edge, ink.y - edge, ink.width + 2 * edge, ink.height + 2 * edge);
  if (shows(text->shadow)) {
    unite(&box, ink.x - edge + text->shadow_x, ink.y - edge + text->shadow_y, ink.width + 2 * edge,
          ink.height + 2 * edge);
  }
  made->painted = box;
}

/// The largest size of a font that markup asks for, in pixels.
static double largest(object *attributes, const CPangoText *text) {
  double size = 0;
  object *place = api.pango_attr_list_get_iterator(attributes);
  do {
    object *font = api.pango_font_description_from_string(text->font);
    api.pango_font_description_set_absolute_size(font, text->size * UNITS);
    api.pango_attr_iterator_get_font(place, font, NULL, NULL);
    // Points are a 72nd of an inch, which has 96 pixels here. What is scaled counts as points, whatever it was.
    double own = (double)api.pango_font_description_get_size(font) / UNITS;
    size = fmax(size, api.pango_font_description_get_size_is_absolute(font) ? own : own * 96 / 72);
    api.pango_font_description_free(font);
  } while (api.pango_attr_iterator_next(place));
  api.pango_attr_iterator_destroy(place);
  return size;
}

bool cpango_has_font(void) {
  uint32_t pixel = 0;
  object *surface = api.cairo_image_surface_create_for_data((uint8_t *)&pixel, FORMAT_ARGB32, 1, 1, 4);
  object *context = api.cairo_create(surface);
  object *layout = api.pango_cairo_create_layout(context);
  // The names of families don't tell: Pango knows some that no font stands behind.
  object *description = api.pango_font_description_from_string("Sans 12");
  object *font = api.pango_context_load_font(api.pango_layout_get_context(layout), description);
  if (font) api.g_object_unref(font);
  api.pango_font_description_free(description);
  api.g_object_unref(layout);
  api.cairo_destroy(context);
  api.cairo_surface_destroy(surface);
  return font != NULL;
}

CPangoLayout *cpango_make(const CPangoText *text, char *why, size_t size) {
  why[0] = 0;
  if (text->is_markup) {
    failure *error = NULL;
    object *attributes = NULL;
    if (!api.pango_parse_markup(text->text, -1, 0, &attributes, NULL, NULL, &error)) {
      snprintf(why, size, "%s", error && error->message ? error->message : "it is no markup");
      if (error) api.g_error_free(error);
      return NULL;
    }
    double asked = largest(attributes, text);
    api.pango_attr_list_unref(attributes);
    // Freetype refuses such fonts, and Pango then writes to standard error.
    if (asked > CPANGO_MAXIMUM_SIZE * 4) {
      snprintf(why, size, "it asks for a font of %.0f pixels, and %d are the most", asked, CPANGO_MAXIMUM_SIZE * 4);
      return NULL;
    }
  }
  uint32_t pixel = 0;
  object *surface = api.cairo_image_surface_create_for_data((uint8_t *)&pixel, FORMAT_ARGB32, 1, 1, 4);
  object *context = api.cairo_create(surface);
  CPangoLayout *made = calloc(1, sizeof *made);
  if (made) made->layout = api.pango_cairo_create_layout(context);
  if (made && made->layout) {
    made->text = *text;
    made->text.text = made->text.font = "";
    // Grey edges at their own places, wherever the text is put: not what a screen's settings say.
    object *options = api.cairo_font_options_create();
    api.cairo_font_options_set_antialias(options, ANTIALIAS_GRAY);
    api.cairo_font_options_set_hint_style(options, HINT_NONE);
    api.cairo_font_options_set_hint_metrics(options, HINT_NONE);
    api.pango_cairo_context_set_font_options(api.pango_layout_get_context(made->layout), options);
    api.cairo_font_options_destroy(options);
    api.pango_layout_context_changed(made->layout);
    object *font = api.pango_font_description_from_string(text->font);
    api.pango_font_description_set_absolute_size(font, text->size * UNITS);
    api.pango_layout_set_font_description(made->layout, font);
    api.pango_font_description_free(font);
    api.pango_layout_set_width(made->layout, text->width > 0 ? text->width * UNITS : -1);
    api.pango_layout_set_wrap(made->layout, WRAP_WORD_CHAR);
    api.pango_layout_set_alignment(made->layout, text->alignment);
    api.pango_layout_set_spacing(made->layout, (int)(text->spacing * UNITS));
    if (text->is_markup) {
      api.pango_layout_set_markup(made->layout, text->text, -1);
    } else {
      api.pango_layout_set_text(made->layout, text->text, -1);
    }
    measure(made);
  } else {
    free(made);
    made = NULL;
  }
  api.cairo_destroy(context);
  api.cairo_surface_destroy(surface);
  return made;
}

void cpango_free(CPangoLayout *layout) {
  api.g_object_unref(layout->layout);
  free(layout);
}

void cpango_measure(const CPangoLayout *layout, CPangoRect *box, CPangoRect *painted) {
  *box = layout->box;
  *painted = layout->painted;
}

static void set_color(object *context, CPangoColor color) {
  api.cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha);
}

static void fill_box(object *context, const CPangoRect *box, double radius) {
  double x = box->x, y = box->y, right = x + box->width, bottom = y + box->height;
  radius = fmax(0, fmin(radius, fmin(box->width, box->height) / 2.0));
  api.cairo_new_path(context);
  api.cairo_arc(context, right - radius, y + radius, radius, -M_PI / 2, 0);
  api.cairo_arc(context, right - radius, bottom - radius, radius, 0, M_PI / 2);
  api.cairo_arc(context, x + radius, bottom - radius, radius, M_PI / 2, M_PI);
  api.cairo_arc(context, x + radius, y + radius, radius, M_PI, 3 * M_PI / 2);
  api.cairo_close_path(context);
  api.cairo_fill(context);
}

static void paint(object *context, CPangoLayout *made) {
  const CPangoText *text = &made->text;
  bool is_outlined = shows(text->outline) && text->outline_width > 0;
  if (shows(text->background)) {
    set_color(context, text->background);
    fill_box(context, &made->box, text->corner_radius);
  }
  api.cairo_set_line_width(context, 2 * text->outline_width);
  api.cairo_set_line_join(context, JOIN_ROUND);
  if (shows(text->shadow)) {
    // As a whole: where edge and letter lie over one another it is no darker.
    CPangoColor solid = text->shadow;
    solid.alpha = 1;
    api.cairo_push_group(context);
    set_color(context, solid);
    for (int pass = is_outlined ? 0 : 1; pass < 2; pass++) {
      api.cairo_move_to(context, text->shadow_x, text->shadow_y);
      api.pango_cairo_layout_path(context, made->layout);
      if (pass == 0) api.cairo_stroke(context);
      if (pass == 1) api.cairo_fill(context);
    }
    api.cairo_pop_group_to_source(context);
    api.cairo_paint_with_alpha(context, text->shadow.alpha);
  }
  if (is_outlined) {
    set_color(context, text->outline);
    api.cairo_move_to(context, 0, 0);
    api.pango_cairo_layout_path(context, made->layout);
    api.cairo_stroke(context);
  }
  set_color(context, text->color);
  api.cairo_move_to(context, 0, 0);
  api.pango_cairo_show_layout(context, made->layout);
}

/// From colours times alpha to colours; what is not painted gets the colour of what is painted outermost.
static void divide(uint8_t *pixels, int stride, int width, int height, CPangoColor outer) {
  const uint8_t rest[3] = {
      (uint8_t)lround(outer.blue * 255), (uint8_t)lround(outer.green * 255), (uint8_t)lround(outer.red * 255)};
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      uint8_t *pixel = pixels + (ptrdiff_t)y * stride + 4 * x;
      uint32_t value;
      memcpy(&value, pixel, 4);
      uint32_t alpha = value >> 24;
      for (int part = 0; part < 3; part++) {
        uint32_t own = value >> (8 * part) & 255;
        // Of a few levels of alpha no colour can be told.
        pixel[part] = alpha < 8 ? rest[part] : own * 255 + alpha / 2 > 255 * alpha ? 255 : (own * 255 + alpha / 2) / alpha;
      }
      pixel[3] = (uint8_t)alpha;
    }
  }
}

bool cpango_draw(CPangoLayout *layout, uint8_t *pixels, int stride, const CPangoRect *painted) {
  object *surface =
      api.cairo_image_surface_create_for_data(pixels, FORMAT_ARGB32, painted->width, painted->height, stride);
  object *context = api.cairo_create(surface);
  api.cairo_translate(context, -painted->x, -painted->y);
  api.pango_cairo_update_layout(context, layout->layout);
  paint(context, layout);
  api.cairo_surface_flush(surface);
  bool drawn = api.cairo_status(context) == 0;
  api.cairo_destroy(context);
  api.cairo_surface_destroy(surface);
  const CPangoText *text = &layout->text;
  divide(pixels, stride, painted->width, painted->height,
         shows(text->background) ? text->background
         : shows(text->outline)  ? text->outline
                                 : text->color);
  return drawn;
}
