!> Ranks are those that a launcher with PMIx started, without MPI.
program with_pmix
  use checks
  implicit none
  type(cuboid_communicator) :: communicator
  integer(c_int) :: wrong
  call cuboid_communicator_from_pmix(communicator)
  call everything(communicator, c_null_ptr, wrong)
  call cuboid_communicator_free(communicator)
  if (wrong > 0) error stop 1
end program
