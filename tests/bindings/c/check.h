/* Checks that count what does not hold, on each thread. */
#ifndef CUBOID_TEST_CHECK_H
#define CUBOID_TEST_CHECK_H

#include <cuboid.h>
#include <stdio.h>

extern _Thread_local int wrong;

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      ++wrong;                                                                          \
      fprintf(stderr, "%s:%d: %s does not hold (%s)\n", __FILE__, __LINE__, #condition, \
              cuboid_error_message());                                                  \
    }                                                                                   \
  } while (0)
#define OK(call) CHECK((call) == CUBOID_SUCCESS)

#endif
