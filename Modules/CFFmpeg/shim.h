#ifndef CFFMPEG_SHIM_H
#define CFFMPEG_SHIM_H
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#endif
