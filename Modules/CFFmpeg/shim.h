// What Swift can't import from FFmpeg, and every difference between FFmpeg's versions.
// Held: 5.1 (libavcodec 59), 6.1 (60), 7.1 (61), 8 (62), 9 (63).
#ifndef CFFMPEG_SHIM_H
#define CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavcodec/vorbis_parser.h>
#include <libavformat/avformat.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// Function-like macros and casts that the importer drops.
static inline int cff_error(int code) { return AVERROR(code); }
static const int cff_ERROR_EOF = AVERROR_EOF;
static const int cff_ERROR_EXIT = AVERROR_EXIT;
static const int cff_ERROR_EAGAIN = AVERROR(EAGAIN);
static const int cff_ERROR_INVALIDDATA = AVERROR_INVALIDDATA;
static const int cff_ERROR_PATCHWELCOME = AVERROR_PATCHWELCOME;
static const int cff_ERROR_DECODER_NOT_FOUND = AVERROR_DECODER_NOT_FOUND;
static const int cff_ERROR_ENCODER_NOT_FOUND = AVERROR_ENCODER_NOT_FOUND;
static const int cff_ERROR_STREAM_NOT_FOUND = AVERROR_STREAM_NOT_FOUND;
static const int64_t cff_NO_PTS = AV_NOPTS_VALUE;
// FFmpeg 5.1 writes Opus' CodecDelay and stamps blocks without it; later ones add it.
static const int cff_MATROSKA_LEAVES_DELAY = LIBAVFORMAT_VERSION_MAJOR < 60;

// The last warning or error that FFmpeg logged on this thread, and the process-wide sink.
// Used by Log.swift alone: a header's static data exists once for each object file.
typedef void (*cff_log_sink)(int level, const char *line);
// Inside functions, because Swift's importer emits no variable of a header that only C code uses.
static inline cff_log_sink *cff_log_current_sink(void) {
  static cff_log_sink sink;
  return &sink;
}
static inline char *cff_log_last(void) {
  static _Thread_local char line[1024];
  return line;
}

// Whether a line follows the one that says what is wrong, and says less; "processing" from FFmpeg 6.1 on.
static inline int cff_log_repeats(const char *line) {
  return strstr(line, "Error processing filtergraph") || !strncmp(line, "Error initializing filter", 25) ||
         !strncmp(line, "Error setting option ", 21) || !strncmp(line, "Error applying option", 21);
}

// What became of a line that has not ended yet: 0 none, 1 kept, 2 passed over. What follows begins with a space.
static inline int *cff_log_open(void) {
  static _Thread_local int open;
  return &open;
}

static inline void cff_log_callback(void *object, int level, const char *format, va_list arguments) {
  if (level > av_log_get_level()) return;
  char line[1024];
  int prefix = 0;
  av_log_format_line2(object, level, format, arguments, line, sizeof line, &prefix);
  size_t length = strlen(line);
  int ends = length > 0 && line[length - 1] == '\n';
  while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) line[--length] = 0;
  if (length == 0) {
    if (ends && level <= AV_LOG_ERROR) *cff_log_open() = 0;
    return;
  }
  if (level <= AV_LOG_ERROR) {
    char *last = cff_log_last();
    int open = line[0] == ' ' ? *cff_log_open() : 0;
    int tells = !cff_log_repeats(line);
    if (open == 1) {
      size_t before = strlen(last);
      size_t room = 1024 - 1 - before, more = length < room ? length : room;
      memcpy(last + before, line, more);
      last[before + more] = 0;
    } else if (open == 0 && (tells || !last[0])) {
      memcpy(last, line, length + 1);
      open = 1;
    } else {
      open = 2;
    }
    *cff_log_open() = ends ? 0 : open;
  }
  cff_log_sink sink = __atomic_load_n(cff_log_current_sink(), __ATOMIC_ACQUIRE);
  if (sink) sink(level, line);
}
static inline void cff_log_install(cff_log_sink sink, int level) {
  __atomic_store_n(cff_log_current_sink(), sink, __ATOMIC_RELEASE);
  av_log_set_level(level);
  av_log_set_callback(cff_log_callback);
}
static inline void cff_log_clear(void) {
  cff_log_last()[0] = 0;
  *cff_log_open() = 0;
}
static inline const char *cff_log_text(void) { return cff_log_last(); }

// Before FFmpeg 6.1 the wrappers of libvpx and libaom say that a picture lasts so many ticks, one where nothing tells:
// with fine ticks the second of two passes then spends hardly a bit. Later ones go by the frame's own duration.
static inline void cff_set_picture_ticks(AVCodecContext *context) {
#if LIBAVCODEC_VERSION_INT < AV_VERSION_INT(60, 31, 100)
  const char *name = context->codec ? context->codec->name : "";
  if (context->framerate.num <= 0 || context->framerate.den <= 0) return;
  if (strncmp(name, "libvpx", 6) && strncmp(name, "libaom", 6)) return;
  int64_t ticks = av_rescale_q(1, av_inv_q(context->framerate), context->time_base);
  context->ticks_per_frame = ticks < 1 ? 1 : ticks > INT_MAX ? INT_MAX : (int)ticks;
#endif
}

// Side data of a stream: codec parameters from 6.1 on, the stream before.
static inline const uint8_t *cff_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  const AVPacketSideData *data = av_packet_side_data_get(
      stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
  if (size) *size = data ? data->size : 0;
  return data ? data->data : NULL;
#else
  size_t bytes = 0;
  const uint8_t *data = av_stream_get_side_data(stream, type, &bytes);
  if (size) *size = data ? bytes : 0;
  return data;
#endif
}

// The rate in which all frames fit: where no packet was looked at, libav since 6.1 doubles the codec's rate for codecs
// that could code fields.
static inline AVRational cff_stream_real_frame_rate(const AVStream *stream) {
  AVRational rate = stream->r_frame_rate;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  AVRational coded = stream->codecpar->framerate;
  const AVCodecDescriptor *descriptor = avcodec_descriptor_get(stream->codecpar->codec_id);
  if (descriptor && (descriptor->props & AV_CODEC_PROP_FIELDS) && coded.num > 0 && coded.den > 0 &&
      rate.den > 0 && av_cmp_q(rate, av_mul_q(coded, (AVRational){2, 1})) == 0)
    return coded;
#endif
  return rate;
}

// Frame fields that moved to flags (6.1) or changed their name (6.0).
static inline int64_t cff_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 2, 100)
  return frame->duration;
#else
  return frame->pkt_duration;
#endif
}
static inline int cff_frame_is_key(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
  return frame->key_frame;
#endif
}
static inline int cff_frame_is_interlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame->interlaced_frame;
#endif
}
static inline int cff_frame_is_top_field_first(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
  return frame->top_field_first;
#endif
}

// The scaler's flags: macros before 9, an enumeration after.
static const int cff_SWS_BILINEAR = SWS_BILINEAR;
static const int cff_SWS_ACCURATE_RND = SWS_ACCURATE_RND;
static const int cff_SWS_FULL_CHR_H_INT = SWS_FULL_CHR_H_INT;
static const int cff_SWS_FULL_CHR_H_INP = SWS_FULL_CHR_H_INP;

// SwsContext is opaque before 8 and a public struct after: Swift would see two different types.
static inline void *cff_scaler_make(int width, int height, int format, int outWidth, int outHeight, int outFormat, int flags) {
#if LIBSWSCALE_VERSION_MAJOR >= 9
  // The path for one row of luma and two of chroma loses green in RGB of 16 bits with full chroma (seen in 9.0). Four
  // rows of chroma take another path.
  const AVPixFmtDescriptor *in = av_pix_fmt_desc_get((enum AVPixelFormat)format);
  const AVPixFmtDescriptor *out = av_pix_fmt_desc_get((enum AVPixelFormat)outFormat);
  if (in && out && height == outHeight && in->log2_chroma_h > 0 && out->comp[0].depth > 8)
    flags = (flags & ~SWS_BILINEAR) | SWS_BICUBIC;
#endif
  return sws_getContext(width, height, (enum AVPixelFormat)format, outWidth, outHeight,
                        (enum AVPixelFormat)outFormat, flags, NULL, NULL, NULL);
}
static inline void cff_scaler_free(void *scaler) { sws_freeContext((struct SwsContext *)scaler); }
// `matrix` is an SWS_CS_ constant; the output is full-range RGB.
static inline int cff_scaler_set_colour(void *scaler, int matrix, int sourceFullRange, int outFullRange) {
  return sws_setColorspaceDetails((struct SwsContext *)scaler, sws_getCoefficients(matrix), sourceFullRange,
                                  sws_getCoefficients(matrix), outFullRange, 0, 1 << 16, 1 << 16);
}
static inline int cff_scaler_run(void *scaler, const uint8_t *const source[4], const int sourceStride[4], int height,
                                 uint8_t *const target[4], const int targetStride[4]) {
  return sws_scale((struct SwsContext *)scaler, source, sourceStride, 0, height, target, targetStride);
}

// Whether the encoder takes a pixel format: a table until 7.0, a function from 7.1 on.
static inline int cff_encoder_supports_pixel_format(const AVCodec *codec, int format) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *list = NULL;
  int count = 0;
  if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_PIX_FORMAT, 0, &list, &count) < 0 || !list) return 1;
  const enum AVPixelFormat *formats = (const enum AVPixelFormat *)list;
  for (int index = 0; index < count; index++) if (formats[index] == (enum AVPixelFormat)format) return 1;
  return 0;
#else
  const enum AVPixelFormat *formats = codec->pix_fmts;
  if (!formats) return 1;
  for (; *formats != AV_PIX_FMT_NONE; formats++) if (*formats == (enum AVPixelFormat)format) return 1;
  return 0;
#endif
}

// The sample format that a decoder gives, or -1: the first one that it lists, else what it settles on when opened.
// Versions list less and less: 9 names none for PCM.
static inline int cff_decoder_sample_format(const AVCodec *codec, int channels, int rate, int bits, const uint8_t *extradata,
                                            int size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *list = NULL;
  int count = 0;
  if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_SAMPLE_FORMAT, 0, &list, &count) >= 0 && list && count > 0)
    return ((const enum AVSampleFormat *)list)[0];
#else
  if (codec->sample_fmts) return codec->sample_fmts[0];
#endif
  AVCodecContext *context = avcodec_alloc_context3(codec);
  if (!context) return -1;
  int format = -1;
  if (size > 0 && (context->extradata = (uint8_t *)av_mallocz((size_t)size + AV_INPUT_BUFFER_PADDING_SIZE))) {
    memcpy(context->extradata, extradata, (size_t)size);
    context->extradata_size = size;
  }
  av_channel_layout_default(&context->ch_layout, channels);
  context->sample_rate = rate;
  context->bits_per_coded_sample = bits;
  context->thread_count = 1;
  if (avcodec_open2(context, codec, NULL) >= 0) format = context->sample_fmt;
  avcodec_free_context(&context);
  return format;
}

// The parser's codec is a plain number before 9 and an enumeration after.
static inline AVCodecParserContext *cff_parser_make(enum AVCodecID codec) { return av_parser_init(codec); }

// Enumerations and const-ness of the resampler's calls, which differ between versions.
static inline int cff_resampler_make(struct SwrContext **context, const AVChannelLayout *outLayout, int outFormat, int outRate,
                                     const AVChannelLayout *inLayout, int inFormat, int inRate) {
  return swr_alloc_set_opts2(context, (AVChannelLayout *)outLayout, (enum AVSampleFormat)outFormat, outRate,
                             (AVChannelLayout *)inLayout, (enum AVSampleFormat)inFormat, inRate, 0, NULL);
}
// Converts `count` samples of a frame from `first` on; a frame of NULL drains what is held back.
static inline int cff_resampler_convert(struct SwrContext *context, uint8_t **out, int capacity, const AVFrame *frame,
                                        int first, int count) {
  if (!frame) return swr_convert(context, out, capacity, NULL, 0);
  const int planar = av_sample_fmt_is_planar((enum AVSampleFormat)frame->format);
  const int channels = frame->ch_layout.nb_channels, planes = planar ? channels : 1;
  const size_t step = (size_t)av_get_bytes_per_sample((enum AVSampleFormat)frame->format) * (planar ? 1 : channels);
  const uint8_t *in[64];  // SWR_CH_MAX
  if (planes > 64) return AVERROR(EINVAL);
  for (int plane = 0; plane < planes; plane++) in[plane] = frame->extended_data[plane] + (size_t)first * step;
  return swr_convert(context, out, capacity, in, count);
}
// Whether the AAC decoder takes xHE-AAC (object type 42): from 7.1 on.
static inline int cff_decodes_xhe_aac(void) { return avcodec_version() >= AV_VERSION_INT(61, 19, 100); }

// System calls that the C library declares under _GNU_SOURCE only. Both answer ENOSYS elsewhere.
#if defined(__linux__)
#include <sys/types.h>
#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...);
static inline int64_t cff_copy_file_range(int from, int64_t *fromOffset, int to, int64_t *toOffset, size_t count) {
  return syscall(SYS_copy_file_range, from, fromOffset, to, toOffset, count, 0u);
}
// Begins to write dirty pages to the disk, without waiting (SYNC_FILE_RANGE_WRITE).
static inline void cff_start_writeback(int file, int64_t offset, int64_t count) {
#if defined(SYS_sync_file_range)
  (void)syscall(SYS_sync_file_range, file, offset, count, 2u);
#endif
}
#else
static inline int64_t cff_copy_file_range(int from, int64_t *fromOffset, int to, int64_t *toOffset, size_t count) {
  errno = ENOSYS;
  return -1;
}
static inline void cff_start_writeback(int file, int64_t offset, int64_t count) {}
#endif

// Writing. The bytes that a muxer hands out are constant from 7.0 on; markers are an enumeration that callers see as a number.
typedef int (*cff_io_write)(void *opaque, const uint8_t *bytes, int count, int marker, int64_t time);
typedef int64_t (*cff_io_seek)(void *opaque, int64_t offset, int whence);
#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef int (*cff_io_write_plain)(void *, const uint8_t *, int);
typedef int (*cff_io_write_marked)(void *, const uint8_t *, int, enum AVIODataMarkerType, int64_t);
#else
typedef int (*cff_io_write_plain)(void *, uint8_t *, int);
typedef int (*cff_io_write_marked)(void *, uint8_t *, int, enum AVIODataMarkerType, int64_t);
#endif
// libav asks `write_data_type` first; the plain call is only there to mark the context as one that is written.
static inline AVIOContext *cff_io_make_writer(unsigned char *buffer, int size, void *opaque, cff_io_write write, cff_io_seek seek) {
  AVIOContext *context = avio_alloc_context(buffer, size, 1, opaque, NULL, (cff_io_write_plain)write, seek);
  if (!context) return NULL;
  context->write_data_type = (cff_io_write_marked)write;
  context->seekable = seek ? AVIO_SEEKABLE_NORMAL : 0;
  return context;
}
static const int cff_MARKER_HEADER = AVIO_DATA_MARKER_HEADER;
static const int cff_MARKER_SYNC_POINT = AVIO_DATA_MARKER_SYNC_POINT;
static const int cff_MARKER_BOUNDARY_POINT = AVIO_DATA_MARKER_BOUNDARY_POINT;
static const int cff_MARKER_TRAILER = AVIO_DATA_MARKER_TRAILER;
static const int cff_MARKER_FLUSH_POINT = AVIO_DATA_MARKER_FLUSH_POINT;

static inline int cff_stream_side_data_count(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  return stream->codecpar->nb_coded_side_data;
#else
  return stream->nb_side_data;
#endif
}
static inline const AVPacketSideData *cff_stream_side_data_at(const AVStream *stream, int index) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  return &stream->codecpar->coded_side_data[index];
#else
  return &stream->side_data[index];
#endif
}
// Adds or replaces.
static inline int cff_stream_set_side_data(AVStream *stream, int type, const uint8_t *bytes, size_t size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
  AVPacketSideData *data = av_packet_side_data_new(&stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data,
                                                   (enum AVPacketSideDataType)type, size, 0);
  if (!data) return AVERROR(ENOMEM);
  memcpy(data->data, bytes, size);
#else
  uint8_t *target = av_stream_new_side_data(stream, (enum AVPacketSideDataType)type, size);
  if (!target) return AVERROR(ENOMEM);
  memcpy(target, bytes, size);
#endif
  return 0;
}

// What an encoder takes: tables until 7.0, a function from 7.1 on. `kind`: 0 pixel formats, 1 sample formats, 2 sample rates.
// Returns the number of entries, or -1 where anything goes; copies up to `capacity` of them.
static inline int cff_encoder_list(const AVCodec *codec, int kind, int *out, int capacity) {
  int count = 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *list = NULL;
  enum AVCodecConfig config = kind == 0 ? AV_CODEC_CONFIG_PIX_FORMAT : kind == 1 ? AV_CODEC_CONFIG_SAMPLE_FORMAT : AV_CODEC_CONFIG_SAMPLE_RATE;
  if (avcodec_get_supported_config(NULL, codec, config, 0, &list, &count) < 0 || !list) return -1;
  for (int index = 0; index < count && index < capacity; index++)
    out[index] = kind == 0 ? (int)((const enum AVPixelFormat *)list)[index]
               : kind == 1 ? (int)((const enum AVSampleFormat *)list)[index] : ((const int *)list)[index];
#else
  if (kind == 0) {
    if (!codec->pix_fmts) return -1;
    for (; codec->pix_fmts[count] != AV_PIX_FMT_NONE; count++) if (count < capacity) out[count] = codec->pix_fmts[count];
  } else if (kind == 1) {
    if (!codec->sample_fmts) return -1;
    for (; codec->sample_fmts[count] != AV_SAMPLE_FMT_NONE; count++) if (count < capacity) out[count] = codec->sample_fmts[count];
  } else {
    if (!codec->supported_samplerates) return -1;
    for (; codec->supported_samplerates[count] != 0; count++) if (count < capacity) out[count] = codec->supported_samplerates[count];
  }
#endif
  return count < capacity ? count : capacity;
}
static inline int cff_encoder_takes_layout(const AVCodec *codec, const AVChannelLayout *layout) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
  const void *list = NULL;
  int count = 0;
  if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_CHANNEL_LAYOUT, 0, &list, &count) < 0 || !list) return 1;
  const AVChannelLayout *layouts = (const AVChannelLayout *)list;
  for (int index = 0; index < count; index++) if (av_channel_layout_compare(&layouts[index], layout) == 0) return 1;
  return 0;
#else
  if (!codec->ch_layouts) return 1;
  for (const AVChannelLayout *each = codec->ch_layouts; each->nb_channels; each++)
    if (av_channel_layout_compare(each, layout) == 0) return 1;
  return 0;
#endif
}

// Frames on their way into an encoder.
static inline void cff_frame_set_duration(AVFrame *frame, int64_t duration) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 2, 100)
  frame->duration = duration;
#else
  frame->pkt_duration = duration;
#endif
}
static inline void cff_frame_set_fields(AVFrame *frame, int interlaced, int topFirst) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  frame->flags &= ~(AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST);
  if (interlaced) frame->flags |= AV_FRAME_FLAG_INTERLACED;
  if (topFirst) frame->flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
  frame->interlaced_frame = interlaced;
  frame->top_field_first = topFirst;
#endif
}
static inline void cff_frame_set_key(AVFrame *frame, int key) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  frame->flags = key ? frame->flags | AV_FRAME_FLAG_KEY : frame->flags & ~AV_FRAME_FLAG_KEY;
#else
  frame->key_frame = key;
#endif
  frame->pict_type = key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
}
// The context's field is int64 or int depending on the version and the profile names moved.
static inline int cff_format_query(const AVOutputFormat *format, const char *codec) {
  const AVCodecDescriptor *descriptor = avcodec_descriptor_get_by_name(codec);
  return descriptor ? avformat_query_codec(format, descriptor->id, FF_COMPLIANCE_EXPERIMENTAL) : -1;
}
static const int cff_FLAG_GLOBALHEADER = AVFMT_GLOBALHEADER;

// av_log is variadic.
static inline int cff_version_libavformat(void) { return (int)avformat_version(); }

#endif
