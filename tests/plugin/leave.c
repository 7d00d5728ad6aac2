/* Of which ends.c does not know that it may end the program. */
#include <stdlib.h>
void leave(int at) {
  if (at == 7) exit(0);
}
