#include <cuboid.h>

/* Every collective started and planned, against its blocking form, on at most 8 ranks. */
void forms(cuboid_communicator communicator);
