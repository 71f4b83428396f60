// floor.c: what plain C on FFmpeg's libraries does, job by job: the practical limit to compare
// with. Built by scripts/bench. Usage: floor JOB FILE COUNT REPS [OPTION ...], one JSON line a run.
// Options: t=N threads, nofsi (no avformat_find_stream_info), nonref (drop non-reference frames on
// the way to an exact one), check (checksum of the pictures), acc (the scaler's accurate rounding,
// as the library uses it), area|fast|bicubic, slice, nolf. FLOOR_OUT names the output of remux.
#include <libavformat/avformat.h>
#include <libavcodec/avcodec.h>
#include <libswscale/swscale.h>
#include <libswresample/swresample.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <pthread.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
static double cpu(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}
static int cmpd(const void* a, const void* b) {
  double x = *(double*)a, y = *(double*)b;
  return x < y ? -1 : x > y;
}
static int cmpi(const void* a, const void* b) {
  int64_t x = *(int64_t*)a, y = *(int64_t*)b;
  return x < y ? -1 : x > y;
}
#if LIBAVUTIL_VERSION_MAJOR >= 58
#define FRAME_DURATION(f) ((f)->duration)
#else
#define FRAME_DURATION(f) ((f)->pkt_duration)
#endif
#define CHK(x)                                                                   \
  do {                                                                           \
    int e_ = (x);                                                                \
    if (e_ < 0) {                                                                \
      fprintf(stderr, "%s:%d %s: %s\n", __FILE__, __LINE__, #x, av_err2str(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

typedef struct {
  AVFormatContext* f;
  AVCodecContext* c;
  AVStream* st;
  int vi;
  struct SwsContext* sws;
  AVPacket* p;
  AVFrame* fr;
  uint8_t* out;
  int w, h;
} Dec;
static uint64_t g_sum = 0;
static int g_check = 0;
static int g_threads = 1, g_type = FF_THREAD_FRAME, g_flags = SWS_BILINEAR, g_nofsi = 0,
           g_nonref = 0, g_lf = 0, g_w = 320, g_bgra = 0;

static void dopen(Dec* d, const char* path, enum AVMediaType mt) {
  memset(d, 0, sizeof *d);
  CHK(avformat_open_input(&d->f, path, NULL, NULL));
  if (!g_nofsi) CHK(avformat_find_stream_info(d->f, NULL));
  d->vi = av_find_best_stream(d->f, mt, -1, -1, NULL, 0);
  d->st = d->f->streams[d->vi];
  for (unsigned i = 0; i < d->f->nb_streams; i++)
    if ((int)i != d->vi) d->f->streams[i]->discard = AVDISCARD_ALL;
  const AVCodec* k = avcodec_find_decoder(d->st->codecpar->codec_id);
  d->c = avcodec_alloc_context3(k);
  CHK(avcodec_parameters_to_context(d->c, d->st->codecpar));
  d->c->thread_count = g_threads;
  d->c->thread_type = g_type;
  d->c->pkt_timebase = d->st->time_base;
  if (g_lf) d->c->skip_loop_filter = AVDISCARD_ALL;
  CHK(avcodec_open2(d->c, k, NULL));
  d->p = av_packet_alloc();
  d->fr = av_frame_alloc();
}
// Matroska's streams have no duration of their own; its ticks of nothing would put every time before the start.
static int64_t duration_of(const Dec* d) {
  return d->st->duration != AV_NOPTS_VALUE ? d->st->duration
                                           : av_rescale_q(d->f->duration, AV_TIME_BASE_Q, d->st->time_base);
}
static void dclose(Dec* d) {
  av_packet_free(&d->p);
  av_frame_free(&d->fr);
  sws_freeContext(d->sws);
  av_free(d->out);
  avcodec_free_context(&d->c);
  avformat_close_input(&d->f);
}
static void scale(Dec* d) {
  if (!d->sws) {
    d->w = g_bgra ? d->fr->width : g_w;
    d->h = g_bgra ? d->fr->height : (int)lrint((double)g_w * d->fr->height / d->fr->width / 2) * 2;
    d->sws = sws_getContext(d->fr->width, d->fr->height, d->fr->format, d->w, d->h,
                            g_bgra ? AV_PIX_FMT_BGRA : AV_PIX_FMT_RGBA,
                            g_flags | (g_bgra ? SWS_FULL_CHR_H_INP : 0), NULL, NULL, NULL);
    d->out = av_malloc(d->w * d->h * 4 + 64);
  }
  uint8_t* o[4] = {d->out};
  int ls[4] = {d->w * 4};
  sws_scale(d->sws, (const uint8_t* const*)d->fr->data, d->fr->linesize, 0, d->fr->height, o, ls);
  if (g_check) {
    uint64_t h = d->fr->pts * 1099511628211ULL;
    for (int i = 0; i < d->w * d->h * 4; i++) h = (h ^ d->out[i]) * 1099511628211ULL;
    __atomic_add_fetch(&g_sum, h, __ATOMIC_RELAXED);
  }  // order-independent
}
// next frame in presentation order; target>=0 -> drop non-reference packets before target
static int nextf(Dec* d, int64_t target) {
  for (;;) {
    int r = avcodec_receive_frame(d->c, d->fr);
    if (r == 0) return 0;
    if (r == AVERROR_EOF) return r;
    r = av_read_frame(d->f, d->p);
    if (r < 0) {
      avcodec_send_packet(d->c, NULL);
      continue;
    }
    if (d->p->stream_index == d->vi) {
      if (g_nonref)
        d->c->skip_frame = (target >= 0 && d->p->pts + d->p->duration <= target)
                               ? AVDISCARD_NONREF
                               : AVDISCARD_DEFAULT;
      avcodec_send_packet(d->c, d->p);
    }
    av_packet_unref(d->p);
  }
}
// exact: get frame displayed at ts (stream tb). Returns 0 and d->fr set.
static int exact_at(Dec* d, int64_t ts, int64_t* lastpts, int reuse) {
  // decide whether continuing from the current position beats a seek: same GOP (key index) ->
  // continue
  int need = 1;
  if (reuse && *lastpts != AV_NOPTS_VALUE && ts >= *lastpts) {
    int k1 = av_index_search_timestamp(d->st, ts, AVSEEK_FLAG_BACKWARD),
        k0 = av_index_search_timestamp(d->st, *lastpts, AVSEEK_FLAG_BACKWARD);
    if (k1 == k0) need = 0;
  }
  if (need) {
    CHK(av_seek_frame(d->f, d->vi, ts, AVSEEK_FLAG_BACKWARD));
    avcodec_flush_buffers(d->c);
  } else if (d->fr->buf[0] && d->fr->pts <= ts && ts < d->fr->pts + FRAME_DURATION(d->fr))
    return 0;
  for (;;) {
    int r = nextf(d, ts);
    if (r < 0) return r;
    *lastpts = d->fr->pts;
    if (d->fr->pts + FRAME_DURATION(d->fr) > ts) return 0;
  }
}
static int key_at(Dec* d, int64_t ts) {
  CHK(av_seek_frame(d->f, d->vi, ts, AVSEEK_FLAG_BACKWARD));
  avcodec_flush_buffers(d->c);
  // one keyframe packet then drain: no waiting for reorder delay
  for (;;) {
    int r = av_read_frame(d->f, d->p);
    if (r < 0) return r;
    if (d->p->stream_index == d->vi && (d->p->flags & AV_PKT_FLAG_KEY)) {
      avcodec_send_packet(d->c, d->p);
      av_packet_unref(d->p);
      avcodec_send_packet(d->c, NULL);
      r = avcodec_receive_frame(d->c, d->fr);
      return r;
    }
    av_packet_unref(d->p);
  }
}
// GOP-parallel exact extraction: T decoders, 1 thread each, groups of times that share a keyframe
// handed out one by one
typedef struct {
  const char* path;
  int64_t* ts;
  int n;
  int* gs;
  int ng;
  int next;
  long ok;
  pthread_mutex_t m;
} GP;
static void* gpw(void* a) {
  GP* g = a;
  Dec d;
  dopen(&d, g->path, AVMEDIA_TYPE_VIDEO);
  for (;;) {
    pthread_mutex_lock(&g->m);
    int k = g->next++;
    pthread_mutex_unlock(&g->m);
    if (k >= g->ng) break;
    int64_t last = AV_NOPTS_VALUE;
    for (int i = g->gs[k]; i < g->gs[k + 1]; i++) {
      if (exact_at(&d, g->ts[i], &last, i > g->gs[k]) == 0) {
        scale(&d);
        __atomic_add_fetch(&g->ok, 1, __ATOMIC_RELAXED);
      }
    }
  }
  dclose(&d);
  return NULL;
}
static double job(const char* cmd, const char* path, int n, long* units) {
  double t0 = now();
  *units = 1;
  if (!strcmp(cmd, "probe")) {
    AVFormatContext* f = NULL;
    CHK(avformat_open_input(&f, path, NULL, NULL));
    if (!g_nofsi) CHK(avformat_find_stream_info(f, NULL));
    avformat_close_input(&f);
  } else if (!strcmp(cmd, "decode") || !strcmp(cmd, "decodescale") ||
             !strcmp(cmd, "decode_bgra")) {
    Dec d;
    g_bgra = !strcmp(cmd, "decode_bgra");
    dopen(&d, path, AVMEDIA_TYPE_VIDEO);
    long k = 0;
    while (nextf(&d, -1) == 0) {
      k++;
      if (cmd[6]) scale(&d);
    }
    *units = k;
    dclose(&d);
  } else if (!strcmp(cmd, "thumbs_exact") || !strcmp(cmd, "thumbs_key") || !strcmp(cmd, "rand") ||
             !strcmp(cmd, "rand_sorted") || !strcmp(cmd, "rand_naive")) {
    Dec d;
    dopen(&d, path, AVMEDIA_TYPE_VIDEO);
    int64_t* ts = malloc(n * 8);
    int64_t dur = duration_of(&d), st = d.st->start_time == AV_NOPTS_VALUE ? 0 : d.st->start_time;
    if (cmd[0] == 't')
      for (int i = 0; i < n; i++) ts[i] = st + (int64_t)(dur * ((i + 0.5) / n));
    else {
      srand(42);
      for (int i = 0; i < n; i++) ts[i] = st + (int64_t)((double)rand() / RAND_MAX * (dur - 1));
      if (!strcmp(cmd, "rand_sorted")) qsort(ts, n, 8, cmpi);
    }
    int64_t last = AV_NOPTS_VALUE;
    long ok = 0;
    for (int i = 0; i < n; i++) {
      int r = !strcmp(cmd, "thumbs_key")
                  ? key_at(&d, ts[i])
                  : exact_at(&d, ts[i], &last, strcmp(cmd, "rand_naive") != 0);
      if (r == 0) {
        scale(&d);
        ok++;
      } else {
        fprintf(stderr, "miss %d: %s\n", i, av_err2str(r));
        last = AV_NOPTS_VALUE;
      }
    }
    *units = ok;
    free(ts);
    dclose(&d);
  } else if (!strcmp(cmd, "gop_thumbs") || !strcmp(cmd, "gop_rand")) {
    Dec d;
    dopen(&d, path, AVMEDIA_TYPE_VIDEO);
    int64_t* ts = malloc(n * 8);
    int64_t dur = duration_of(&d), st = d.st->start_time == AV_NOPTS_VALUE ? 0 : d.st->start_time;
    if (cmd[4] == 't')
      for (int i = 0; i < n; i++) ts[i] = st + (int64_t)(dur * ((i + 0.5) / n));
    else {
      srand(42);
      for (int i = 0; i < n; i++) ts[i] = st + (int64_t)((double)rand() / RAND_MAX * (dur - 1));
      qsort(ts, n, 8, cmpi);
    }
    int *gs = malloc((n + 1) * sizeof(int)), ng = 0, pk = -2;
    for (int i = 0; i < n; i++) {
      int k = av_index_search_timestamp(d.st, ts[i], AVSEEK_FLAG_BACKWARD);
      if (k != pk) {
        gs[ng++] = i;
        pk = k;
      }
    }
    gs[ng] = n;
    dclose(&d);
    GP g = {path, ts, n, gs, ng, 0, 0, PTHREAD_MUTEX_INITIALIZER};
    int T = g_threads;
    int save = g_threads;
    g_threads = 1;
    pthread_t th[16];
    for (int i = 0; i < T; i++) pthread_create(&th[i], NULL, gpw, &g);
    for (int i = 0; i < T; i++) pthread_join(th[i], NULL);
    g_threads = save;
    *units = g.ok;
    free(ts);
    free(gs);
  } else if (!strcmp(
                 cmd,
                 "thumbs_key_dedupe")) {  // evenly spaced times, decode each distinct keyframe once
    Dec d;
    dopen(&d, path, AVMEDIA_TYPE_VIDEO);
    int64_t dur = duration_of(&d);
    int pk = -2;
    long dec = 0;
    for (int i = 0; i < n; i++) {
      int64_t t = (int64_t)(dur * ((i + 0.5) / n));
      int k = av_index_search_timestamp(d.st, t, AVSEEK_FLAG_BACKWARD);
      if (k != pk) {
        if (key_at(&d, t) == 0) {
          scale(&d);
          dec++;
        }
        pk = k;
      }
    }
    *units = n;
    (void)dec;
    dclose(&d);
  } else if (!strcmp(cmd, "keyscan")) {
    AVFormatContext* f = NULL;
    CHK(avformat_open_input(&f, path, NULL, NULL));
    for (unsigned i = 0; i < f->nb_streams; i++)
      f->streams[i]->discard = f->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO
                                   ? AVDISCARD_NONKEY
                                   : AVDISCARD_ALL;
    AVPacket* p = av_packet_alloc();
    long k = 0;
    while (av_read_frame(f, p) == 0) {
      k++;
      av_packet_unref(p);
    }
    *units = k;
    av_packet_free(&p);
    avformat_close_input(&f);
  } else if (!strcmp(cmd, "peaks")) {  // decode audio -> f32 planar -> min/max per 1/100 s
    Dec d;
    dopen(&d, path, AVMEDIA_TYPE_AUDIO);
    long ns = 0;
    int win = d.c->sample_rate / 100;
    int fill = 0;
    float mn = 1e9, mx = -1e9;
    long npk = 0;
    double sum = 0;
    while (nextf(&d, -1) == 0) {
      int nb = d.fr->nb_samples;
      ns += nb;
      const float* a = (float*)d.fr->extended_data[0];
      int i = 0;
      while (i < nb) {
        int m = win - fill;
        if (m > nb - i) m = nb - i;
        for (int j = 0; j < m; j++) {
          float v = a[i + j];
          mn = v < mn ? v : mn;
          mx = v > mx ? v : mx;
        }
        fill += m;
        i += m;
        if (fill == win) {
          sum += mx - mn;
          npk++;
          mn = 1e9;
          mx = -1e9;
          fill = 0;
        }
      }
    }
    *units = ns;
    dclose(&d);
    if (sum == -1) puts("");
  } else if (!strcmp(cmd, "demux")) {
    AVFormatContext* f = NULL;
    CHK(avformat_open_input(&f, path, NULL, NULL));
    AVPacket* p = av_packet_alloc();
    long k = 0;
    while (av_read_frame(f, p) == 0) {
      k++;
      av_packet_unref(p);
    }
    *units = k;
    av_packet_free(&p);
    avformat_close_input(&f);
  } else if (!strcmp(cmd, "remux")) {
    AVFormatContext *f = NULL, *o = NULL;
    CHK(avformat_open_input(&f, path, NULL, NULL));
    if (!g_nofsi) CHK(avformat_find_stream_info(f, NULL));
    CHK(avformat_alloc_output_context2(
        &o, NULL, "mp4", getenv("FLOOR_OUT") ? getenv("FLOOR_OUT") : "out_floor.mp4"));
    for (unsigned i = 0; i < f->nb_streams; i++) {
      AVStream* s = avformat_new_stream(o, NULL);
      avcodec_parameters_copy(s->codecpar, f->streams[i]->codecpar);
      s->codecpar->codec_tag = 0;
      s->time_base = f->streams[i]->time_base;
    }
    CHK(avio_open(&o->pb, getenv("FLOOR_OUT") ? getenv("FLOOR_OUT") : "out_floor.mp4",
                  AVIO_FLAG_WRITE));
    AVDictionary* op = NULL;
    if (n) av_dict_set(&op, "movflags", "faststart", 0);
    CHK(avformat_write_header(o, &op));
    AVPacket* p = av_packet_alloc();
    long k = 0;
    while (av_read_frame(f, p) == 0) {
      av_packet_rescale_ts(p, f->streams[p->stream_index]->time_base,
                           o->streams[p->stream_index]->time_base);
      p->pos = -1;
      CHK(av_interleaved_write_frame(o, p));
      k++;
    }
    av_write_trailer(o);
    avio_closep(&o->pb);
    avformat_free_context(o);
    avformat_close_input(&f);
    av_packet_free(&p);
    *units = k;
  } else {
    fprintf(stderr, "unknown %s\n", cmd);
    exit(2);
  }
  return now() - t0;
}
int main(int c, char** v) {
  if (c < 3) {
    fprintf(stderr, "usage: floor JOB FILE [COUNT [REPS [OPTION ...]]]\n");
    return 2;
  }
  av_log_set_level(AV_LOG_ERROR);
  const char *cmd = v[1], *path = v[2];
  int n = c > 3 ? atoi(v[3]) : 0, reps = c > 4 ? atoi(v[4]) : 5;
  for (int i = 5; i < c; i++) {
    if (!strncmp(v[i], "t=", 2))
      g_threads = atoi(v[i] + 2);
    else if (!strcmp(v[i], "slice"))
      g_type = FF_THREAD_SLICE;
    else if (!strcmp(v[i], "nofsi"))
      g_nofsi = 1;
    else if (!strcmp(v[i], "nonref"))
      g_nonref = 1;
    else if (!strcmp(v[i], "nolf"))
      g_lf = 1;
    else if (!strcmp(v[i], "area"))
      g_flags = SWS_AREA;
    else if (!strcmp(v[i], "fast"))
      g_flags = SWS_FAST_BILINEAR;
    else if (!strcmp(v[i], "bicubic"))
      g_flags = SWS_BICUBIC;
    else if (!strcmp(v[i], "check"))
      g_check = 1;
    else if (!strcmp(v[i], "acc"))
      g_flags |= SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT;
  }
  double t[1000];
  long u = 0;
  double c0 = cpu();
  for (int i = 0; i < reps; i++) t[i] = job(cmd, path, n, &u);
  double cc = (cpu() - c0) / reps;
  qsort(t, reps, sizeof *t, cmpd);
  double m = t[reps / 2];
  printf(
      "{\"job\":\"%s\",\"count\":%d,\"medianMilliseconds\":%.3f,\"minimumMilliseconds\":%.3f,"
      "\"processorMilliseconds\":%.3f,\"units\":%ld",
      cmd, n, m * 1e3, t[0] * 1e3, cc * 1e3, u);
  if (g_check) printf(",\"checksum\":\"%016llx\"", (unsigned long long)g_sum);
  puts("}");
  return 0;
}
