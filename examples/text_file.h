/* Lines of a text file, plain or compressed (.gz, .xz); the file's first bytes
 * tell which, not its name. */
#ifndef EXAMPLES_TEXT_FILE_H
#define EXAMPLES_TEXT_FILE_H

#include <stddef.h>

typedef struct text_file text_file;

/* Opens `path`; a file that cannot be opened ends the program with a message. */
text_file* text_open(const char* path);

/* The next line, without its end (LF or CR LF), or NULL after the last one. It
 * holds `*length` characters and a terminating 0, and lives until the next call.
 * Data that cannot be read or decompressed to their end, and lines of more than
 * 4,095 characters, end the program with a message. */
const char* text_next_line(text_file* file, size_t* length);

void text_close(text_file* file);

/* Prints "PATH:LINE: message" for the line read last, and ends the program with
 * status 1. */
_Noreturn void text_fail(const text_file* file, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

/* malloc for `count` items of `size` bytes; too little memory ends the program
 * with a message that names `what`. */
void* allocate(size_t count, size_t size, const char* what);

#endif
