#include "../priorities.c"
