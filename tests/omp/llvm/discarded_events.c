#include "../discarded_events.c"
