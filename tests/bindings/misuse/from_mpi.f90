!> The rows of misuse.txt of communicators from MPI, in Fortran. Usage, under mpirun on two ranks:
!> bindings_from_mpi_fortran OPERATION MISUSE...: prints a line "OPERATION MISUSE OUTCOME" for each pair.
program from_mpi
  use mpi
  use cuboid
  implicit none
  integer :: rank, code, at
  character(64) :: operation, misuse, outcome
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  do at = 1, command_argument_count() - 1, 2
    call get_command_argument(at, operation)
    call get_command_argument(at + 1, misuse)
    outcome = outcome_of(misuse)
    print '(a, 1x, a, 1x, a)', trim(operation), trim(misuse), trim(outcome)
  end do
  flush (6)
  call MPI_Finalize(code)

contains

  function outcome_of(misuse) result(outcome)
    character(*), intent(in) :: misuse
    character(64) :: outcome
    select case (misuse)
    case ('nothing')
      outcome = use_of(MPI_COMM_WORLD)
    case ('null_communicator')
      outcome = use_of(MPI_COMM_NULL)
    case ('two_groups')
      outcome = between_groups()
    case ('pending_receive')
      outcome = beside_a_receive()
    case default
      outcome = 'unknown'
    end select
  end function

  !> Makes a communicator, uses it, and frees it.
  function use_of(from) result(outcome)
    integer, intent(in) :: from
    character(64) :: outcome
    type(cuboid_communicator) :: made
    real(c_double) :: input(1000), output(1000)
    integer(c_int) :: code
    input = 1
    call cuboid_communicator_from_mpi(from, made, code)
    if (code == CUBOID_SUCCESS) call cuboid_allreduce(input, output, CUBOID_SUM, made, code)
    if (code == CUBOID_SUCCESS) call cuboid_communicator_free(made, code)
    write (outcome, '(a, i0)') 'error ', code
    if (code == CUBOID_SUCCESS) outcome = 'success'
    if (code == CUBOID_INVALID_ARGUMENT) outcome = 'invalid_argument'
  end function

  function between_groups() result(outcome)
    character(64) :: outcome
    integer :: between, code
    call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 7, between, code)
    outcome = use_of(between)
    call MPI_Comm_free(between, code)
  end function

  !> A receive of any message that the program has pending gets none of Cuboid's.
  function beside_a_receive() result(outcome)
    character(64) :: outcome
    integer, asynchronous :: received
    integer :: request, code, status(MPI_STATUS_SIZE)
    logical :: came
    received = -1
    call MPI_Irecv(received, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request, code)
    outcome = use_of(MPI_COMM_WORLD)
    call MPI_Test(request, came, status, code)
    call MPI_Barrier(MPI_COMM_WORLD, code) ! else the other rank's message may be there already
    if (came) then
      outcome = 'a message of Cuboid''s was received'
      return
    end if
    call MPI_Send(rank, 1, MPI_INTEGER, 1 - rank, 5, MPI_COMM_WORLD, code)
    call MPI_Wait(request, status, code)
    if (received /= 1 - rank) outcome = 'another message was received'
  end function

end program
