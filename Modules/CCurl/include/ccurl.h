// libcurl without linking it: the types and constants come from its header, the functions are
// resolved with dlopen on first use, because linking costs every process some 30 libraries and
// 15 ms at start, whether it opens a URL or not.
#ifndef CCURL_H
#define CCURL_H

// The header's deprecations and macro type checks are of no use behind typed wrappers.
#ifndef CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_DEPRECATION
#endif
#ifndef CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_TYPECHECK
#endif
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads libcurl once for the process. NULL when it is there, else why it is not.
/// Every other function here may be called only after this returned NULL.
const char *_Nullable ccurl_load(void);

typedef void CCurlEasy;
typedef void CCurlMulti;

CCurlEasy *_Nullable ccurl_easy_init(void);
void ccurl_easy_reset(CCurlEasy *_Nonnull easy);
void ccurl_easy_cleanup(CCurlEasy *_Nonnull easy);
CURLcode ccurl_easy_pause(CCurlEasy *_Nonnull easy, int bits);
const char *_Nonnull ccurl_easy_strerror(CURLcode code);

// curl_easy_setopt is variadic, which Swift can't call.
CURLcode ccurl_set_long(CCurlEasy *_Nonnull easy, CURLoption option, long value);
CURLcode ccurl_set_string(CCurlEasy *_Nonnull easy, CURLoption option, const char *_Nullable value);
CURLcode ccurl_set_pointer(CCurlEasy *_Nonnull easy, CURLoption option, void *_Nullable value);
/// Limits the transfer to http and https, with the option that this libcurl has for it.
CURLcode ccurl_set_http_only(CCurlEasy *_Nonnull easy);

/// Bytes of a body or one header line; returns `count` to go on, `CURL_WRITEFUNC_PAUSE` to pause,
/// anything else to fail the transfer.
typedef size_t (*CCurlBytes)(void *_Nonnull context, const char *_Nonnull bytes, size_t count);
/// Whether the numeric address (4 or 16 bytes, network order) may be talked to.
typedef bool (*CCurlAddress)(void *_Nonnull context, const uint8_t *_Nonnull bytes, size_t count);

/// The callbacks of one transfer; they stay in place (and `callbacks` alive) until the handle is reset.
/// `address` is asked before every connect, with the very address that the socket is connected to,
/// and again before every request with the peer of the connection, which may be a pooled one.
typedef struct {
  void *_Nonnull context;
  CCurlBytes _Nonnull body;
  CCurlBytes _Nonnull header;
  CCurlAddress _Nonnull address;
} CCurlCallbacks;
CURLcode ccurl_set_callbacks(CCurlEasy *_Nonnull easy, CCurlCallbacks *_Nonnull callbacks);

struct curl_slist *_Nullable ccurl_slist_append(
    struct curl_slist *_Nullable list, const char *_Nonnull text);
void ccurl_slist_free_all(struct curl_slist *_Nullable list);

CCurlMulti *_Nullable ccurl_multi_init(void);
void ccurl_multi_set_long(CCurlMulti *_Nonnull multi, CURLMoption option, long value);
CURLMcode ccurl_multi_add(CCurlMulti *_Nonnull multi, CCurlEasy *_Nonnull easy);
CURLMcode ccurl_multi_remove(CCurlMulti *_Nonnull multi, CCurlEasy *_Nonnull easy);
CURLMcode ccurl_multi_perform(CCurlMulti *_Nonnull multi);
CURLMcode ccurl_multi_poll(CCurlMulti *_Nonnull multi, int milliseconds);
/// The only function that may be called from another thread than the one that performs.
CURLMcode ccurl_multi_wakeup(CCurlMulti *_Nonnull multi);
/// The next transfer that has ended, or NULL.
CCurlEasy *_Nullable ccurl_multi_next_done(
    CCurlMulti *_Nonnull multi, CURLcode *_Nonnull result);

/// Starts a detached thread that receives no signals: a signal handler of the program never runs
/// on it, and a broken connection can't raise SIGPIPE there. 0, or an errno value.
int ccurl_start_thread(
    const char *_Nonnull name, void (*_Nonnull body)(void *_Nonnull), void *_Nonnull context);
#endif
