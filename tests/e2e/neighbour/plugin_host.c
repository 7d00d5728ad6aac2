// Loads, runs and unloads a plugin twice; afterwards it must be mapped no more.
//   plugin_host PLUGIN
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  for (int round = 0; round < 2; ++round) {
    void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      puts(dlerror());
      return 1;
    }
    long (*run)(long) = (long (*)(long))dlsym(plugin, "run_plugin");
    if (run(100000) <= 0) return 1;
    dlclose(plugin);
  }
  char line[4096];
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, arguments[1]) != NULL || strstr(line, "libdoall.so") != NULL) {
      printf("wrong: still mapped after dlclose: %s", line);
      return 1;
    }
  }
  fclose(maps);
  return 0;
}
