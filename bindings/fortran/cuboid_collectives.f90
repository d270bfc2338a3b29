!> Collectives and messages. Each returns when it is done; with request= it is started, to be waited for;
!> with plan= a plan of it is made, to be run many times. Sizes and types come from the arrays, which are
!> of any rank and intrinsic type, contiguous. Ranks count from 0, as in MPI; so do displacements.
module cuboid_collectives
  use, intrinsic :: iso_c_binding
  use cuboid_types
  implicit none
  public

  interface
    ! Waits until all ranks have called it.
    subroutine cuboid_barrier(communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_barrier")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Gives every rank the root's elements.
    subroutine cuboid_broadcast(buffer, root, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_broadcast")
      import
      type(*), dimension(..), asynchronous :: buffer
      integer(c_int), intent(in) :: root
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Combines every rank's input into the root's output.
    subroutine cuboid_reduce(input, output, reduction, root, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_reduce")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_reduction), intent(in) :: reduction
      integer(c_int), intent(in) :: root
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Combines every rank's input into every rank's output.
    subroutine cuboid_allreduce(input, output, reduction, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_allreduce")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_reduction), intent(in) :: reduction
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Combines every rank's input, which has a block per rank. Rank r receives block r, which is as
    ! long as its output.
    subroutine cuboid_reduce_scatter(input, output, reduction, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_reduce_scatter")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_reduction), intent(in) :: reduction
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Rank r's block has counts(r + 1) elements; blocks are adjacent, and fill the input.
    subroutine cuboid_reduce_scatterv(input, output, counts, reduction, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_reduce_scatterv")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: counts(*)
      type(cuboid_reduction), intent(in) :: reduction
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Gives every rank the blocks of all ranks; a block is as long as the input.
    subroutine cuboid_allgather(input, output, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_allgather")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! `counts` must be equal on all ranks. Displacements count elements from 0; without them, blocks
    ! are adjacent.
    subroutine cuboid_allgatherv(input, output, counts, displacements, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_allgatherv")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: counts(*)
      integer(c_size_t), intent(in), optional :: displacements(*)
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Gives the root the blocks of all ranks.
    subroutine cuboid_gather(input, output, root, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_gather")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_int), intent(in) :: root
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! This rank's block is as long as its input; `counts` and `displacements` are significant at the
    ! root only.
    subroutine cuboid_gatherv(input, output, counts, displacements, root, communicator, ierror, request, &
        plan) &
        bind(C, name="cuboid_fortran_gatherv")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: counts(*)
      integer(c_size_t), intent(in), optional :: displacements(*)
      integer(c_int), intent(in) :: root
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Gives each rank its block of the root's input.
    subroutine cuboid_scatter(input, output, root, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_scatter")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_int), intent(in) :: root
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! This rank's block is as long as its output; `counts` and `displacements` are significant at
    ! the root only.
    subroutine cuboid_scatterv(input, counts, displacements, output, root, communicator, ierror, request, &
        plan) &
        bind(C, name="cuboid_fortran_scatterv")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: counts(*)
      integer(c_size_t), intent(in), optional :: displacements(*)
      integer(c_int), intent(in) :: root
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Block j of rank i becomes block i of rank j.
    subroutine cuboid_alltoall(input, output, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_alltoall")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! All-to-all with a count, and optionally a displacement, per rank.
    subroutine cuboid_alltoallv(input, input_counts, input_displacements, output, output_counts, &
        output_displacements, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_alltoallv")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: input_counts(*), output_counts(*)
      integer(c_size_t), intent(in), optional :: input_displacements(*), output_displacements(*)
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Combines the inputs of the ranks up to and including this one, in rank order.
    subroutine cuboid_scan(input, output, reduction, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_scan")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_reduction), intent(in) :: reduction
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Combines the inputs of the ranks before this one; rank 0's output is unchanged.
    subroutine cuboid_exscan(input, output, reduction, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_exscan")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_reduction), intent(in) :: reduction
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Sends the input to every destination; block k of the output is what source k sends.
    subroutine cuboid_neighbour_allgather(input, output, neighbourhood, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_neighbour_allgather")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      type(cuboid_neighbourhood), intent(in) :: neighbourhood
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Sends block k of the input, of `count` elements, to destination k.
    subroutine cuboid_neighbour_alltoall(input, output, count, neighbourhood, communicator, ierror, &
        request, plan) &
        bind(C, name="cuboid_fortran_neighbour_alltoall")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: count
      type(cuboid_neighbourhood), intent(in) :: neighbourhood
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Neighbour all-to-all with a count, and optionally a displacement, per destination and per
    ! source.
    subroutine cuboid_neighbour_alltoallv(input, input_counts, input_displacements, output, output_counts, &
        output_displacements, neighbourhood, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_neighbour_alltoallv")
      import
      type(*), dimension(..), intent(in), asynchronous :: input
      type(*), dimension(..), asynchronous :: output
      integer(c_size_t), intent(in) :: input_counts(*), output_counts(*)
      integer(c_size_t), intent(in), optional :: input_displacements(*), output_displacements(*)
      type(cuboid_neighbourhood), intent(in) :: neighbourhood
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Only sender and receiver call these. A receive takes the message with its source and number (0
    ! to 32767).
    subroutine cuboid_send(message, destination, number, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_send")
      import
      type(*), dimension(..), intent(in), asynchronous :: message
      integer(c_int), intent(in) :: destination, number
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! The received message must have exactly the size that was sent.
    subroutine cuboid_receive(message, source, number, communicator, ierror, request, plan) &
        bind(C, name="cuboid_fortran_receive")
      import
      type(*), dimension(..), asynchronous :: message
      integer(c_int), intent(in) :: source, number
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine

    ! Sends one message and receives another at the same time.
    subroutine cuboid_exchange(outgoing, destination, incoming, source, number, communicator, ierror, &
        request, plan) &
        bind(C, name="cuboid_fortran_exchange")
      import
      type(*), dimension(..), intent(in), asynchronous :: outgoing
      type(*), dimension(..), asynchronous :: incoming
      integer(c_int), intent(in) :: destination, source, number
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
      type(cuboid_request), intent(inout), optional :: request
      type(cuboid_plan), intent(inout), optional :: plan
    end subroutine
  end interface
end module
