/* How many threads the process has. */
#ifndef THREADS_ALIVE_H
#define THREADS_ALIVE_H

#include <dirent.h>

#if defined(__SANITIZE_THREAD__) /* which has a thread of its own */
enum { sanitizer_threads = 1 };
#else
enum { sanitizer_threads = 0 };
#endif

static int threads_alive(void) {
  DIR* tasks = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent* entry; (entry = readdir(tasks)) != NULL;) {
    count += entry->d_name[0] != '.';
  }
  closedir(tasks);
  return count;
}

#endif
