/* One buffer of decompressed bytes is filled by zlib, which passes plain files
 * through, or by liblzma, and emptied line by line. */
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { buffer_bytes = 1 << 16, line_bytes_max = 4096 };

struct text_file {
  const char* path;
  size_t line_number;
  int descriptor;
  gzFile gz; /* NULL when the file is .xz */
  lzma_stream xz;
  int xz_ended;
  char* at; /* what is left of `bytes` */
  char* end;
  char line[line_bytes_max];
  char bytes[buffer_bytes];
  uint8_t compressed[buffer_bytes];
};

void text_fail(const text_file* file, const char* format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  for (char* c = message; *c != '\0'; ++c) { /* it may quote a binary file */
    if (*c < ' ' || *c > '~') *c = '?';
  }
  fprintf(stderr, "%s:%zu: %s; nothing was computed\n", file->path, file->line_number, message);
  exit(EXIT_FAILURE);
}

void* allocate(size_t count, size_t size, const char* what) {
  void* memory = NULL;
  if (count <= SIZE_MAX / size) memory = malloc(count > 0 ? count * size : 1);
  if (memory == NULL) {
    fprintf(stderr, "not enough memory for %zu %s; nothing was computed\n", count, what);
    exit(EXIT_FAILURE);
  }
  return memory;
}

text_file* text_open(const char* path) {
  static const char xz_magic[6] = {'\xFD', '7', 'z', 'X', 'Z', '\0'};
  char magic[sizeof xz_magic];

  text_file* file = allocate(1, sizeof *file, "open file");
  memset(file, 0, sizeof *file);
  file->path = path;
  file->at = file->end = file->bytes;
  file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (file->descriptor < 0) {
    fprintf(stderr, "%s: cannot be opened: %s; nothing was computed\n", path, strerror(errno));
    exit(EXIT_FAILURE);
  }
  /* A pipe has no position to read at: it is left to zlib. */
  if (pread(file->descriptor, magic, sizeof magic, 0) == sizeof magic &&
      memcmp(magic, xz_magic, sizeof magic) == 0) {
    file->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&file->xz, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      text_fail(file, "not enough memory to decompress it");
    }
  } else {
    file->gz = gzdopen(file->descriptor, "r");
    if (file->gz == NULL) text_fail(file, "not enough memory to decompress it");
  }
  return file;
}

static size_t fill_from_gz(text_file* file) {
  const int got = gzread(file->gz, file->bytes, buffer_bytes);
  if (got > 0) return (size_t)got;

  int error = Z_OK;
  const char* reason = gzerror(file->gz, &error);
  if (error == Z_ERRNO) text_fail(file, "cannot be read: %s", strerror(errno));
  if (error == Z_BUF_ERROR) text_fail(file, "the compressed data end too early: truncated?");
  if (error != Z_OK && error != Z_STREAM_END) {
    const char* name_end = strstr(reason, ">: "); /* zlib's name for it, "<fd:3>" */
    text_fail(file, "the compressed data are damaged: %s", name_end ? name_end + 3 : reason);
  }
  return 0;
}

static size_t fill_from_xz(text_file* file) {
  lzma_stream* xz = &file->xz;
  lzma_action action = LZMA_RUN;
  xz->next_out = (uint8_t*)file->bytes;
  xz->avail_out = buffer_bytes;
  while (!file->xz_ended && xz->avail_out == buffer_bytes) {
    if (xz->avail_in == 0 && action == LZMA_RUN) {
      const ssize_t got = read(file->descriptor, file->compressed, buffer_bytes);
      if (got < 0) text_fail(file, "cannot be read: %s", strerror(errno));
      if (got == 0) action = LZMA_FINISH;
      xz->next_in = file->compressed;
      xz->avail_in = (size_t)got;
    }
    const lzma_ret result = lzma_code(xz, action);
    if (result == LZMA_BUF_ERROR) text_fail(file, "the compressed data end too early: truncated?");
    if (result != LZMA_OK && result != LZMA_STREAM_END) {
      text_fail(file, "the compressed data are damaged (liblzma's error %d)", (int)result);
    }
    file->xz_ended = result == LZMA_STREAM_END;
  }
  return buffer_bytes - xz->avail_out;
}

const char* text_next_line(text_file* file, size_t* length) {
  size_t used = 0;
  int ended = 0;
  ++file->line_number;
  while (!ended) {
    if (file->at == file->end) {
      file->at = file->bytes;
      file->end = file->bytes + (file->gz != NULL ? fill_from_gz(file) : fill_from_xz(file));
      if (file->at == file->end) {
        if (used > 0) break; /* a last line without its line feed */
        --file->line_number;
        return NULL;
      }
    }
    const size_t left = (size_t)(file->end - file->at);
    const char* feed = memchr(file->at, '\n', left);
    const size_t piece = feed != NULL ? (size_t)(feed - file->at) : left;
    if (used + piece >= line_bytes_max) {
      text_fail(file, "not a graph: the line has more than %d characters", line_bytes_max - 1);
    }
    memcpy(file->line + used, file->at, piece);
    used += piece;
    ended = feed != NULL;
    file->at += piece + (feed != NULL);
  }
  if (used > 0 && file->line[used - 1] == '\r') --used;
  file->line[used] = '\0';
  *length = used;
  return file->line;
}

void text_close(text_file* file) {
  if (file->gz != NULL) {
    gzclose(file->gz);
  } else {
    lzma_end(&file->xz);
    close(file->descriptor);
  }
  free(file);
}
