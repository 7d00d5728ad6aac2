/* Does the one thing that its argument names, which doall cannot do yet; exits
 * with 42 if it comes back. */
#include <omp.h>
#include <string.h>

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  int x = 0;
  if (strcmp(what, "target") == 0) {
#pragma omp target map(tofrom : x)
    x = 1;
  } else if (strcmp(what, "target_data") == 0) {
#pragma omp target data map(tofrom : x)
    x = 1;
  } else if (strcmp(what, "target_update") == 0) {
#pragma omp target update to(x)
  } else if (strcmp(what, "target_enter") == 0) {
#pragma omp target enter data map(to : x)
  } else if (strcmp(what, "target_in_region") == 0) {
#pragma omp parallel num_threads(4)
    {
#pragma omp target map(tofrom : x)
      x = 1;
    }
  }
  return x < 0 ? 0 : 42;
}
