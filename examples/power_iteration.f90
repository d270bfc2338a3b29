! The largest eigenvalue of a symmetric matrix by power iteration, in Fortran: each rank has some rows.
! mpirun -n 4 power_iteration_fortran
program power_iteration
  use mpi
  use cuboid
  implicit none
  integer, parameter :: n = 240, steps = 200
  type(cuboid_communicator) :: ranks
  type(cuboid_plan) :: gather
  real(c_double), asynchronous :: x(n)
  real(c_double), allocatable, asynchronous :: y(:)
  real(c_double) :: square, eigenvalue
  integer :: rank, size, rows, i, j, step, code

  call MPI_Init(code)
  call cuboid_communicator_from_mpi(MPI_COMM_WORLD, ranks)
  call cuboid_communicator_rank(ranks, rank)
  call cuboid_communicator_size(ranks, size)

  if (mod(n, size) /= 0) error stop 'the number of ranks must divide the number of rows'
  rows = n/size
  allocate (y(rows))
  x = 1
  ! Made once, run in every step: this allocates nothing.
  call cuboid_allgather(y, x, ranks, plan=gather)
  do step = 1, steps
    do i = 1, rows
      y(i) = sum([(x(j)/(1 + abs(rank*rows + i - j)), j=1, n)])
    end do
    square = sum(y**2)
    call cuboid_allreduce(CUBOID_IN_PLACE, square, CUBOID_SUM, ranks)
    eigenvalue = sqrt(square)
    y = y/eigenvalue
    call cuboid_plan_run(gather)
  end do
  if (rank == 0) print '(a, f0.9)', 'largest eigenvalue ', eigenvalue
  call cuboid_plan_free(gather)
  call cuboid_communicator_free(ranks)
  call MPI_Finalize(code)
end program
