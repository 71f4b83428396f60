#define _GNU_SOURCE
#include "ccurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The header wraps the variadic functions in macros; the plain names are wanted here.
#undef curl_easy_setopt
#undef curl_multi_setopt

// Every function that is used, once: the table, and the loop that fills it, follow from this list.
#define FUNCTIONS(each) \
  each(curl_global_init) each(curl_easy_init) each(curl_easy_reset) each(curl_easy_cleanup) \
  each(curl_easy_pause) each(curl_easy_strerror) each(curl_easy_setopt) each(curl_slist_append) \
  each(curl_slist_free_all) each(curl_multi_init) each(curl_multi_setopt) \
  each(curl_multi_add_handle) each(curl_multi_remove_handle) each(curl_multi_perform) \
  each(curl_multi_poll) each(curl_multi_wakeup) each(curl_multi_info_read)

#define MEMBER(name) __typeof__(&name) name;
static struct { FUNCTIONS(MEMBER) } api;

static const char *failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool resolve(void *library) {
#define RESOLVE(name) \
  api.name = (__typeof__(api.name))dlsym(library, #name); \
  if (!api.name) return false;
  FUNCTIONS(RESOLVE)
  return true;
}

static void load(void) {
  static const char *const names[] = {
#ifdef __APPLE__
    "libcurl.4.dylib", "/opt/homebrew/opt/curl/lib/libcurl.4.dylib",
    "/usr/local/opt/curl/lib/libcurl.4.dylib",
#else
    "libcurl.so.4", "libcurl-gnutls.so.4",
#endif
  };
  failure = "libcurl can't be loaded";
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) continue;
    if (!resolve(library)) {
      failure = "libcurl is older than 7.80";
    } else if (api.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
      failure = "libcurl can't be initialised";
    } else {
      failure = NULL;
      return;
    }
  }
}

const char *ccurl_load(void) {
  pthread_once(&once, load);
  return failure;
}

CCurlEasy *ccurl_easy_init(void) { return api.curl_easy_init(); }
void ccurl_easy_reset(CCurlEasy *easy) { api.curl_easy_reset(easy); }
void ccurl_easy_cleanup(CCurlEasy *easy) { api.curl_easy_cleanup(easy); }
CURLcode ccurl_easy_pause(CCurlEasy *easy, int bits) { return api.curl_easy_pause(easy, bits); }
const char *ccurl_easy_strerror(CURLcode code) { return api.curl_easy_strerror(code); }

CURLcode ccurl_set_long(CCurlEasy *easy, CURLoption option, long value) {
  return api.curl_easy_setopt(easy, option, value);
}
CURLcode ccurl_set_string(CCurlEasy *easy, CURLoption option, const char *value) {
  return api.curl_easy_setopt(easy, option, value);
}
CURLcode ccurl_set_pointer(CCurlEasy *easy, CURLoption option, void *value) {
  return api.curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_http_only(CCurlEasy *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  CURLcode code = api.curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (code != CURLE_UNKNOWN_OPTION) return code;
#endif
  return api.curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  CCurlCallbacks *callbacks = context;
  return callbacks->body(callbacks->context, bytes, size * count);
}

static size_t on_header(char *bytes, size_t size, size_t count, void *context) {
  CCurlCallbacks *callbacks = context;
  return callbacks->header(callbacks->context, bytes, size * count);
}

static curl_socket_t on_open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  CCurlCallbacks *callbacks = context;
  const uint8_t *bytes = NULL;
  size_t count = 0;
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    bytes = (const uint8_t *)&((struct sockaddr_in *)&address->addr)->sin_addr;
    count = 4;
  } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    bytes = (const uint8_t *)&((struct sockaddr_in6 *)&address->addr)->sin6_addr;
    count = 16;
  }
  if (purpose != CURLSOCKTYPE_IPCXN || !bytes || !callbacks->address(callbacks->context, bytes, count))
    return CURL_SOCKET_BAD;
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  int descriptor = socket(address->family, address->socktype, address->protocol);
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}

static int on_request(
    void *context, char *peer, char *own, int peer_port, int own_port) {
  (void)own, (void)peer_port, (void)own_port;
  CCurlCallbacks *callbacks = context;
  uint8_t bytes[16];
  size_t count = 0;
  if (peer && inet_pton(AF_INET, peer, bytes) == 1) {
    count = 4;
  } else if (peer && inet_pton(AF_INET6, peer, bytes) == 1) {
    count = 16;
  }
  bool allowed = count && callbacks->address(callbacks->context, bytes, count);
  return allowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

CURLcode ccurl_set_callbacks(CCurlEasy *easy, CCurlCallbacks *callbacks) {
#define SET(option, value) \
  do { \
    CURLcode code = api.curl_easy_setopt(easy, option, value); \
    if (code != CURLE_OK) return code; \
  } while (0)
  SET(CURLOPT_WRITEFUNCTION, on_body);
  SET(CURLOPT_WRITEDATA, (void *)callbacks);
  SET(CURLOPT_HEADERFUNCTION, on_header);
  SET(CURLOPT_HEADERDATA, (void *)callbacks);
  SET(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  SET(CURLOPT_OPENSOCKETDATA, (void *)callbacks);
  SET(CURLOPT_PREREQFUNCTION, on_request);
  SET(CURLOPT_PREREQDATA, (void *)callbacks);
  return CURLE_OK;
}

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
  return api.curl_slist_append(list, text);
}
void ccurl_slist_free_all(struct curl_slist *list) { api.curl_slist_free_all(list); }

CCurlMulti *ccurl_multi_init(void) { return api.curl_multi_init(); }
void ccurl_multi_set_long(CCurlMulti *multi, CURLMoption option, long value) {
  api.curl_multi_setopt(multi, option, value);
}
CURLMcode ccurl_multi_add(CCurlMulti *multi, CCurlEasy *easy) {
  return api.curl_multi_add_handle(multi, easy);
}
CURLMcode ccurl_multi_remove(CCurlMulti *multi, CCurlEasy *easy) {
  return api.curl_multi_remove_handle(multi, easy);
}
CURLMcode ccurl_multi_perform(CCurlMulti *multi) {
  int running = 0;
  return api.curl_multi_perform(multi, &running);
}
CURLMcode ccurl_multi_poll(CCurlMulti *multi, int milliseconds) {
  return api.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode ccurl_multi_wakeup(CCurlMulti *multi) { return api.curl_multi_wakeup(multi); }

CCurlEasy *ccurl_multi_next_done(CCurlMulti *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = api.curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

struct start {
  void (*body)(void *);
  void *context;
  char name[16];
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
#ifdef __APPLE__
  pthread_setname_np(start.name);
#else
  pthread_setname_np(pthread_self(), start.name);
#endif
  start.body(start.context);
  return NULL;
}

int ccurl_start_thread(const char *name, void (*body)(void *), void *context) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return 12;  // ENOMEM
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);

  // The new thread inherits the mask, so that there is no moment at which it takes a signal.
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  int code = pthread_create(&thread, NULL, run, start);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (code != 0) {
    free(start);
    return code;
  }
  pthread_detach(thread);
  return 0;
}
