! Collectives as `use mpi` calls them, under the drop-in: names without C behind them, sentinels with
! addresses of their own, logical and paired types. Stops with an error where a result is wrong.
program from_fortran
  use mpi
  implicit none
  integer :: error, rank, ranks, request, i, root
  integer, parameter :: count = 3000
  real(8) :: values(count), sums(count)
  integer(8) :: longs(count)
  integer :: pairs(2, 5), best(2, 5), own(4)
  integer, allocatable :: all(:), counts(:), places(:)
  logical :: flags(count), any_flag(count)
  complex(8) :: waves(count)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  root = ranks - 1

  values = rank
  call MPI_Bcast(values, count, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, error)
  if (any(values /= root)) error stop 'MPI_Bcast'

  values = rank + 1
  call MPI_Allreduce(values, sums, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(sums /= ranks * (ranks + 1) / 2)) error stop 'MPI_Allreduce'
  call MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(values /= sums)) error stop 'MPI_Allreduce in place'

  longs = rank
  call MPI_Allreduce(MPI_IN_PLACE, longs, count, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, error)
  if (any(longs /= ranks - 1)) error stop 'MPI_Allreduce of INTEGER8'

  flags = .false.
  flags(rank + 1) = .true.
  call MPI_Allreduce(flags, any_flag, count, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, error)
  do i = 1, count
    if (any_flag(i) .neqv. (i <= ranks)) error stop 'MPI_Allreduce of LOGICAL'
  end do

  waves = (1.0d0, 2.0d0)
  if (rank == root) then
    call MPI_Reduce(MPI_IN_PLACE, waves, count, MPI_DOUBLE_COMPLEX, MPI_SUM, root, MPI_COMM_WORLD, error)
    if (any(waves /= ranks * (1.0d0, 2.0d0))) error stop 'MPI_Reduce'
  else
    call MPI_Reduce(waves, waves, count, MPI_DOUBLE_COMPLEX, MPI_SUM, root, MPI_COMM_WORLD, error)
  end if

  do i = 1, 5
    pairs(:, i) = [mod(rank + i, ranks), rank]
  end do
  call MPI_Allreduce(pairs, best, 5, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, error)
  do i = 1, 5
    if (best(1, i) /= ranks - 1 .or. mod(best(2, i) + i, ranks) /= ranks - 1) error stop 'MPI_MAXLOC'
  end do

  own = rank
  allocate (all(4 * ranks + 4), counts(ranks), places(ranks))
  call MPI_Allgather(own, 4, MPI_INTEGER, all, 4, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    if (any(all(4 * i - 3:4 * i) /= i - 1)) error stop 'MPI_Allgather'
  end do
  counts = 3
  places = [(4 * (i - 1) + 1, i=1, ranks)]
  all = -1
  call MPI_Gatherv(own, 3, MPI_INTEGER, all, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  if (rank == root) then
    do i = 1, ranks
      if (all(4 * i - 3) /= -1 .or. any(all(4 * i - 2:4 * i) /= i - 1)) error stop 'MPI_Gatherv'
    end do
  end if

  values = rank
  call MPI_Ibcast(values, count, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  if (any(values /= root)) error stop 'MPI_Ibcast'

  call MPI_Finalize(error)
end program from_fortran
