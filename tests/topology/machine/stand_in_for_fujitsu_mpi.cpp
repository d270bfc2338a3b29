// What Fujitsu's MPI has of the functions that tell a rank its place; the test sets what they say.
extern "C" {

int ompi_mpi_comm_world = 0;

int stand_in_initialised = 1;
int stand_in_rank = 0;
int stand_in_dimension = 3;
int stand_in_shape[3] = {4, 3, 2};
int stand_in_refusal = 0;  // what get_coords returns

int MPI_Initialized(int* flag) {
  *flag = stand_in_initialised;
  return 0;
}

int MPI_Finalized(int* flag) {
  *flag = 0;
  return 0;
}

int MPI_Comm_rank(void* communicator, int* rank) {
  *rank = stand_in_rank;
  return communicator == &ompi_mpi_comm_world ? 0 : 5;
}

int FJMPI_Topology_get_dimension(int* size) {
  *size = stand_in_dimension;
  return 0;
}

int FJMPI_Topology_get_shape(int* x, int* y, int* z) {
  *x = stand_in_shape[0];
  *y = stand_in_dimension > 1 ? stand_in_shape[1] : 0;
  *z = stand_in_dimension > 2 ? stand_in_shape[2] : 0;
  return 0;
}

int FJMPI_Topology_get_coords(void* communicator, int rank, int view, int size, int* coords) {
  if (communicator != &ompi_mpi_comm_world || view != 0) return 5;
  for (int axis = 0; axis < size; ++axis) {
    coords[axis] = rank % stand_in_shape[axis];
    rank /= stand_in_shape[axis];
  }
  return stand_in_refusal;
}
}
