/* Does the one thing that its argument names, which doall cannot do yet; exits
 * with 42 if it comes back. */
#include <omp.h>
#include <string.h>

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  if (strcmp(what, "detach") == 0) {
    omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event)
      omp_fulfill_event(event);
    }
  }
  return 42;
}
