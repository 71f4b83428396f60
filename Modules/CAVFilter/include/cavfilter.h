// libavfilter without linking it: types come from its headers, the functions are resolved with dlopen on first use from the
// library of the headers' major version. Linking it costs every process 32 libraries and 17 ms, whether it filters or not.
#ifndef CAVFILTER_H
#define CAVFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads libavfilter once for the process. NULL when it is there, else why it is not.
/// Every other function here may be called only after this returned NULL.
const char *_Nullable cavfilter_load(void);

/// What pictures come as: libav's numbers.
typedef struct {
  int width, height, format;
  int sample_aspect_num, sample_aspect_den;
  int time_base_num, time_base_den;
  int color_space, color_range;
} CAVFilterInput;

typedef struct CAVFilterGraph CAVFilterGraph;

/// A graph of a description with one input and one output. NULL with an AVERROR in `error`; `pixels` bounds what any link
/// of it may hold.
CAVFilterGraph *_Nullable cavfilter_make(
    const char *_Nonnull description, const CAVFilterInput *_Nonnull input, int64_t pixels, int *_Nonnull error);
void cavfilter_free(CAVFilterGraph *_Nonnull graph);
/// Sends an AVFrame, or NULL for the end, and takes the next result into another one: AVERROR(EAGAIN) while there is none.
int cavfilter_send(CAVFilterGraph *_Nonnull graph, void *_Nullable frame);
int cavfilter_receive(CAVFilterGraph *_Nonnull graph, void *_Nonnull frame);
#endif
