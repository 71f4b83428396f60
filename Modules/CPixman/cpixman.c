#include "cpixman.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>

// From pixman.h: numbers of its ABI.
enum { OP_SRC = 1, REPEAT_PAD = 2, FILTER_BILINEAR = 4 };
#define FORMAT_A8 ((8 << 24) | (1 << 16) | (8 << 12))
typedef struct image image;
typedef struct {
  int32_t matrix[3][3];
} transform;

static struct {
  image *(*create)(uint32_t format, int width, int height, uint32_t *bits, int stride);
  int (*unref)(image *image);
  int (*set_transform)(image *image, const transform *transform);
  void (*set_repeat)(image *image, int repeat);
  int (*set_filter)(image *image, int filter, const int32_t *parameters, int count);
  void (*composite)(
      int operator, image *source, image *mask, image *target, int32_t source_x, int32_t source_y, int32_t mask_x,
      int32_t mask_y, int32_t x, int32_t y, int32_t width, int32_t height);
} api;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  static const char *const names[] = {
#ifdef __APPLE__
      "/opt/homebrew/lib/libpixman-1.0.dylib", "/usr/local/lib/libpixman-1.0.dylib",
#endif
      "libpixman-1.so.0",
  };
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
#define RESOLVE(member, name) \
  api.member = (__typeof__(api.member))dlsym(library, name); \
  if (!api.member) return;
  RESOLVE(create, "pixman_image_create_bits")
  RESOLVE(unref, "pixman_image_unref")
  RESOLVE(set_transform, "pixman_image_set_transform")
  RESOLVE(set_repeat, "pixman_image_set_repeat")
  RESOLVE(set_filter, "pixman_image_set_filter")
  RESOLVE(composite, "pixman_image_composite32")
  loaded = true;
}

bool cpixman_load(void) {
  pthread_once(&once, load);
  return loaded;
}

bool cpixman_transform(
    const uint8_t *source, int source_width, int source_height, int source_stride, uint8_t *target, int target_width,
    int target_height, int target_stride, const double map[6]) {
  if ((source_stride | target_stride) & 3 || source_width > 32767 || source_height > 32767) return false;
  transform matrix = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 65536}}};
  for (int i = 0; i < 6; i++) {
    // What a row's end is looked up at has to fit as well.
    double reach = fabs(map[i / 3 * 3]) * target_width + fabs(map[i / 3 * 3 + 1]) * target_height + fabs(map[i / 3 * 3 + 2]);
    if (!(reach < 32000)) return false;
    matrix.matrix[i / 3][i % 3] = (int32_t)lround(map[i] * 65536);
  }
  // pixman only reads the source.
  image *from = api.create(FORMAT_A8, source_width, source_height, (uint32_t *)(uintptr_t)source, source_stride);
  image *to = api.create(FORMAT_A8, target_width, target_height, (uint32_t *)(void *)target, target_stride);
  bool drawn = false;
  if (from && to && api.set_transform(from, &matrix) && api.set_filter(from, FILTER_BILINEAR, NULL, 0)) {
    api.set_repeat(from, REPEAT_PAD);
    api.composite(OP_SRC, from, NULL, to, 0, 0, 0, 0, 0, 0, target_width, target_height);
    drawn = true;
  }
  if (from) api.unref(from);
  if (to) api.unref(to);
  return drawn;
}
