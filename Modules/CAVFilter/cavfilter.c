#include "cavfilter.h"

#include <dlfcn.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/mem.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// Every function that is used, once: the table, and the loop that fills it, follow from this list.
#define FUNCTIONS(each) \
  each(avfilter_get_by_name) each(avfilter_graph_alloc) each(avfilter_graph_free) \
  each(avfilter_graph_create_filter) each(avfilter_graph_parse_ptr) each(avfilter_graph_config) \
  each(avfilter_inout_alloc) each(avfilter_inout_free) each(av_buffersrc_add_frame_flags) \
  each(av_buffersink_get_frame)

#define MEMBER(name) __typeof__(&name) name;
static struct { FUNCTIONS(MEMBER) } api;

static const char *failure = "libavfilter can't be loaded";
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#ifdef __APPLE__
#define LIBRARY "libavfilter." TEXT(LIBAVFILTER_VERSION_MAJOR) ".dylib"
#else
#define LIBRARY "libavfilter.so." TEXT(LIBAVFILTER_VERSION_MAJOR)
#endif

static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  failure = LIBRARY " can't be loaded";
  if (!library) return;
  failure = LIBRARY " lacks a function";
#define RESOLVE(name) \
  api.name = (__typeof__(api.name))dlsym(library, #name); \
  if (!api.name) return;
  FUNCTIONS(RESOLVE)
  failure = NULL;
}

const char *cavfilter_load(void) {
  pthread_once(&once, load);
  return failure;
}

struct CAVFilterGraph {
  AVFilterGraph *graph;
  AVFilterContext *source, *sink;
};

static int create(CAVFilterGraph *made, const CAVFilterInput *input) {
  char arguments[256];
  snprintf(arguments, sizeof arguments, "video_size=%dx%d:pix_fmt=%d:time_base=%d/%d:pixel_aspect=%d/%d", input->width,
           input->height, input->format, input->time_base_num, input->time_base_den, input->sample_aspect_num,
           input->sample_aspect_den > 0 ? input->sample_aspect_den : 1);
#if LIBAVFILTER_VERSION_INT >= AV_VERSION_INT(9, 16, 100)
  // From FFmpeg 7.0 on colour is negotiated like the format.
  size_t length = strlen(arguments);
  snprintf(arguments + length, sizeof arguments - length, ":colorspace=%d:range=%d", input->color_space,
           input->color_range);
#endif
  int result = api.avfilter_graph_create_filter(
      &made->source, api.avfilter_get_by_name("buffer"), "in", arguments, NULL, made->graph);
  if (result < 0) return result;
  return api.avfilter_graph_create_filter(
      &made->sink, api.avfilter_get_by_name("buffersink"), "out", NULL, NULL, made->graph);
}

static int parse(CAVFilterGraph *made, const char *description) {
  // Named from the graph's point of view: what leaves the source goes into the description's input.
  AVFilterInOut *outputs = api.avfilter_inout_alloc(), *inputs = api.avfilter_inout_alloc();
  int result = AVERROR(ENOMEM);
  if (outputs && inputs) {
    outputs->name = av_strdup("in");
    outputs->filter_ctx = made->source;
    inputs->name = av_strdup("out");
    inputs->filter_ctx = made->sink;
    result = api.avfilter_graph_parse_ptr(made->graph, description, &inputs, &outputs, NULL);
    if (result >= 0 && (inputs || outputs)) {
      av_log(NULL, AV_LOG_ERROR, "The description has another number of inputs and outputs than one each.\n");
      result = AVERROR(EINVAL);
    }
  }
  api.avfilter_inout_free(&inputs);
  api.avfilter_inout_free(&outputs);
  return result;
}

static int check_sizes(const AVFilterGraph *graph, int64_t pixels) {
  for (unsigned i = 0; i < graph->nb_filters; i++) {
    const AVFilterContext *filter = graph->filters[i];
    for (unsigned j = 0; j < filter->nb_outputs; j++) {
      const AVFilterLink *link = filter->outputs[j];
      if (!link || (int64_t)link->w * link->h <= pixels) continue;
      av_log(NULL, AV_LOG_ERROR, "%s makes pictures of %dx%d, which is more than allowed.\n", filter->filter->name,
             link->w, link->h);
      return AVERROR(ENOSPC);
    }
  }
  return 0;
}

CAVFilterGraph *cavfilter_make(const char *description, const CAVFilterInput *input, int64_t pixels, int *error) {
  CAVFilterGraph *made = av_mallocz(sizeof *made);
  *error = AVERROR(ENOMEM);
  if (made && (made->graph = api.avfilter_graph_alloc())) {
    // On the thread that calls: how many work is the caller's choice.
    made->graph->nb_threads = 1;
    *error = create(made, input);
    if (*error >= 0) *error = parse(made, description);
    if (*error >= 0) *error = api.avfilter_graph_config(made->graph, NULL);
    if (*error >= 0) *error = check_sizes(made->graph, pixels);
    if (*error >= 0) return made;
  }
  if (made) cavfilter_free(made);
  return NULL;
}

void cavfilter_free(CAVFilterGraph *graph) {
  api.avfilter_graph_free(&graph->graph);
  av_free(graph);
}

int cavfilter_send(CAVFilterGraph *graph, void *frame) {
  // The caller's frame stays his own.
  return api.av_buffersrc_add_frame_flags(graph->source, frame, AV_BUFFERSRC_FLAG_KEEP_REF);
}

int cavfilter_receive(CAVFilterGraph *graph, void *frame) { return api.av_buffersink_get_frame(graph->sink, frame); }
