! The same through `use mpi_f08`, whose subroutines call those of Open MPI by other names.
program from_fortran_2008
  use mpi_f08
  implicit none
  integer :: rank, ranks
  integer, parameter :: count = 3000
  real(8) :: values(count), wanted
  type(MPI_Request) :: requests(2)
  integer :: number

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Barrier(MPI_COMM_WORLD)

  values = rank
  call MPI_Bcast(values, count, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
  if (any(values /= ranks - 1)) error stop 'MPI_Bcast'
  values = rank + 1
  wanted = ranks * (ranks + 1) / 2
  call MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (any(values /= wanted)) error stop 'MPI_Allreduce in place'

  values = rank + 1
  number = rank
  call MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, requests(1))
  call MPI_Ibcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  if (any(values /= wanted) .or. number /= 0) error stop 'non-blocking'
  call MPI_Finalize()
end program from_fortran_2008
