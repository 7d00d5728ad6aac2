// What the programs of report.sh and trace.sh have in common: work, and ways to end.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static double work(int rounds) {
  volatile double sum = 0;
  for (int k = 0; k < rounds; ++k) sum += k;
  return sum;
}

// Ends the program as the word says; returns if it names no ending.
static void end_by(const char* word) {
  if (!strcmp(word, "term")) raise(SIGTERM);
  if (!strcmp(word, "kill")) raise(SIGKILL);
  if (!strcmp(word, "abort")) abort();
  if (!strcmp(word, "_exit")) _exit(0);
  if (!strcmp(word, "exec")) execlp("true", "true", (char*)NULL);
}
