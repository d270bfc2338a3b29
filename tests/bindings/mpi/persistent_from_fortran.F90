! Persistent collectives from Fortran under the drop-in. Stops with an error where a result is wrong.
#ifdef CUBOID_MPI_PERSISTENT_EXTENSION
#define BCAST_INIT MPIX_Bcast_init
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define BCAST_INIT MPI_Bcast_init
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif
program persistent_from_fortran
  use mpi
  implicit none
  external :: BCAST_INIT, ALLREDUCE_INIT
  integer, parameter :: count = 3000
  integer :: error, rank, ranks, requests(2), run
  real(8) :: values(count), sums(count)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call BCAST_INIT(values, count, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
  call ALLREDUCE_INIT(MPI_IN_PLACE, sums, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), error)
  do run = 1, 3
    values = -1
    if (rank == 0) values = run
    sums = rank + run
    if (run < 3) then
      call MPI_Startall(2, requests, error)
    else
      call MPI_Start(requests(2), error)
      call MPI_Start(requests(1), error)
    end if
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    if (any(values /= run)) error stop 'MPI_Bcast_init'
    if (any(sums /= ranks * (ranks - 1) / 2 + ranks * run)) error stop 'MPI_Allreduce_init'
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)
  if (any(requests /= MPI_REQUEST_NULL)) error stop 'MPI_Request_free'
  call MPI_Finalize(error)
end program persistent_from_fortran
