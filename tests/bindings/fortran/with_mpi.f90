!> Ranks are those of MPI, given by its handle.
program with_mpi
  use mpi
  use checks
  implicit none
  type(cuboid_communicator) :: communicator
  integer :: code
  integer(c_int) :: wrong
  call MPI_Init(code)
  call cuboid_communicator_from_mpi(MPI_COMM_WORLD, communicator)
  call everything(communicator, c_null_ptr, wrong)
  call cuboid_communicator_free(communicator)
  call MPI_Finalize(code)
  if (wrong > 0) error stop 1
end program
