#include <cuboid.h>

/* Factorisations and what is solved with them, on any number of ranks. */
void factorisations(cuboid_communicator communicator);
