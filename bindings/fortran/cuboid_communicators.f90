!> Communicators, what was found of the network, requests, plans, neighbours and windows. Without ierror an
!> error ends the program with its text.
module cuboid_communicators
  use, intrinsic :: iso_c_binding
  use cuboid_types
  implicit none
  public

  abstract interface
    subroutine cuboid_body(communicator, context, code) bind(C)
      import
      type(cuboid_communicator), intent(in) :: communicator
      type(c_ptr), intent(in) :: context
      integer(c_int), intent(out) :: code
    end subroutine
  end interface

  interface
    ! Makes a communicator of the ranks of an MPI communicator: comm, or comm%MPI_VAL of mpi_f08.
    ! Collective.
    subroutine cuboid_communicator_from_mpi(from, made, ierror) &
        bind(C, name="cuboid_fortran_communicator_from_mpi_fortran")
      import
      integer(c_int), intent(in) :: from
      type(cuboid_communicator), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a communicator of all processes of a job that a launcher with PMIx started, e.g.
    ! srun --mpi=pmix, without MPI. Collective.
    subroutine cuboid_communicator_from_pmix(made, ierror) &
        bind(C, name="cuboid_fortran_communicator_from_pmix")
      import
      type(cuboid_communicator), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Runs `body` on the given number of ranks, each a thread of this process. A body reports
    ! failure by a code other than 0.
    subroutine cuboid_run_ranks(ranks, body, context, ierror) bind(C, name="cuboid_fortran_run_ranks")
      import
      integer(c_int), intent(in) :: ranks
      procedure(cuboid_body) :: body
      type(c_ptr), intent(in) :: context
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a communicator of the ranks that a function connects: int f(const void* mine, size_t
    ! bytes, void* all, void* context) of C gathers `bytes` bytes of each rank into `all`.
    ! Collective.
    subroutine cuboid_communicator_create(rank, size, exchange, context, made, ierror) &
        bind(C, name="cuboid_fortran_communicator_create")
      import
      integer(c_int), intent(in) :: rank, size
      type(c_funptr), intent(in) :: exchange
      type(c_ptr), intent(in) :: context
      type(cuboid_communicator), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Not collective, but all ranks should free the communicator in the end.
    subroutine cuboid_communicator_free(communicator, ierror) &
        bind(C, name="cuboid_fortran_communicator_free")
      import
      type(cuboid_communicator), intent(inout) :: communicator
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_communicator_rank(communicator, rank, ierror) &
        bind(C, name="cuboid_fortran_communicator_rank")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out) :: rank
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_communicator_size(communicator, size, ierror) &
        bind(C, name="cuboid_fortran_communicator_size")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out) :: size
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Ranks of equal colour form a new communicator, ordered by key, then by rank. A rank with a
    ! negative colour gets a communicator whose handle is 0.
    subroutine cuboid_communicator_split(communicator, colour, key, part, ierror) &
        bind(C, name="cuboid_fortran_communicator_split")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(in) :: colour, key
      type(cuboid_communicator), intent(out) :: part
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_communicator_duplicate(communicator, made, ierror) &
        bind(C, name="cuboid_fortran_communicator_duplicate")
      import
      type(cuboid_communicator), intent(in) :: communicator
      type(cuboid_communicator), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! After CUBOID_PEER_FAILED: makes a communicator of the ranks that have not failed. Collective
    ! over these ranks.
    subroutine cuboid_communicator_shrink(communicator, survivors, ierror) &
        bind(C, name="cuboid_fortran_communicator_shrink")
      import
      type(cuboid_communicator), intent(in) :: communicator
      type(cuboid_communicator), intent(out) :: survivors
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a communicator with rules that select algorithms, in the syntax of CUBOID_ALGORITHM.
    subroutine cuboid_communicator_with_algorithms(communicator, rules, made, ierror) &
        bind(C, name="cuboid_fortran_communicator_with_algorithms")
      import
      type(cuboid_communicator), intent(in) :: communicator
      character(kind=c_char, len=*), intent(in) :: rules
      type(cuboid_communicator), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Tells the other ranks that this rank gives up.
    subroutine cuboid_communicator_revoke(communicator, reason, ierror) &
        bind(C, name="cuboid_fortran_communicator_revoke")
      import
      type(cuboid_communicator), intent(in) :: communicator
      character(kind=c_char, len=*), intent(in) :: reason
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_communicator_progress(communicator, ierror) &
        bind(C, name="cuboid_fortran_communicator_progress")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Traffic of this rank with a peer, or with all peers (peer -1).
    subroutine cuboid_communicator_traffic(communicator, peer, traffic, ierror) &
        bind(C, name="cuboid_fortran_communicator_traffic")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(in) :: peer
      type(cuboid_traffic), intent(out) :: traffic
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The box of nodes that the ranks fill: its dimensions (0 if they fill none), its extents, and 1
    ! for axes that wrap. The arrays have CUBOID_MAX_DIMENSIONS elements.
    subroutine cuboid_topology_shape(communicator, dimensions, extents, wraps, ierror) &
        bind(C, name="cuboid_fortran_topology_shape")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(out) :: dimensions
      integer(c_int), intent(inout) :: extents(*), wraps(*)
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The coordinate of a rank in that box: a number from 0 per axis.
    subroutine cuboid_topology_coordinate(communicator, rank, coordinate, ierror) &
        bind(C, name="cuboid_fortran_topology_coordinate")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(in) :: rank
      integer(c_int), intent(inout) :: coordinate(*)
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a communicator of the ranks on this rank's line along an axis (from 0), in order.
    ! Collective.
    subroutine cuboid_topology_line(communicator, axis, line, ierror) &
        bind(C, name="cuboid_fortran_topology_line")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(in) :: axis
      type(cuboid_communicator), intent(out) :: line
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Sets `same` to 1 if a rank shares this rank's node.
    subroutine cuboid_topology_same_node(communicator, rank, same, ierror) &
        bind(C, name="cuboid_fortran_topology_same_node")
      import
      type(cuboid_communicator), intent(in) :: communicator
      integer(c_int), intent(in) :: rank
      integer(c_int), intent(out) :: same
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Waits for a request and frees it.
    subroutine cuboid_wait(request, ierror) &
        bind(C, name="cuboid_fortran_wait")
      import
      type(cuboid_request), intent(inout) :: request
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Waits for all requests and frees them; requests with handle 0 are skipped.
    subroutine cuboid_wait_all(count, requests, ierror) &
        bind(C, name="cuboid_fortran_wait_all")
      import
      integer(c_size_t), intent(in) :: count
      type(cuboid_request), intent(inout) :: requests(*)
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes progress. If the request is complete, `complete` becomes 1 and the request is freed.
    subroutine cuboid_test(request, complete, ierror) &
        bind(C, name="cuboid_fortran_test")
      import
      type(cuboid_request), intent(inout) :: request
      integer(c_int), intent(out) :: complete
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_plan_start(plan, request, ierror) &
        bind(C, name="cuboid_fortran_plan_start")
      import
      type(cuboid_plan), intent(in) :: plan
      type(cuboid_request), intent(out) :: request
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_plan_run(plan, ierror) &
        bind(C, name="cuboid_fortran_plan_run")
      import
      type(cuboid_plan), intent(in) :: plan
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_plan_free(plan, ierror) &
        bind(C, name="cuboid_fortran_plan_free")
      import
      type(cuboid_plan), intent(inout) :: plan
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a user-defined operation: void f(const void* left, const void* right, void* result,
    ! size_t count, void* context) of C, bind(C) in Fortran.
    subroutine cuboid_reduction_create(combine, context, commutative, reduction, ierror) &
        bind(C, name="cuboid_fortran_reduction_create")
      import
      type(c_funptr), intent(in) :: combine
      type(c_ptr), intent(in) :: context
      integer(c_int), intent(in) :: commutative
      type(cuboid_reduction), intent(out) :: reduction
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_reduction_free(reduction, ierror) &
        bind(C, name="cuboid_fortran_reduction_free")
      import
      type(cuboid_reduction), intent(inout) :: reduction
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_neighbourhood_graph(sources, source_ranks, destinations, destination_ranks, made, &
        ierror) &
        bind(C, name="cuboid_fortran_neighbourhood_graph")
      import
      integer(c_size_t), intent(in) :: sources, destinations
      integer(c_int), intent(in) :: source_ranks(*), destination_ranks(*)
      type(cuboid_neighbourhood), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Per axis, the neighbours are the rank below, then the rank above; ranks are numbered along the
    ! last axis first.
    subroutine cuboid_neighbourhood_grid(dimensions, extents, wraps, rank, made, ierror) &
        bind(C, name="cuboid_fortran_neighbourhood_grid")
      import
      integer(c_int), intent(in) :: dimensions, extents(*), wraps(*), rank
      type(cuboid_neighbourhood), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_neighbourhood_free(neighbourhood, ierror) &
        bind(C, name="cuboid_fortran_neighbourhood_free")
      import
      type(cuboid_neighbourhood), intent(inout) :: neighbourhood
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a window: `bytes` of zeroed memory on this rank, which others may read and write. Making
    ! and freeing it are collective.
    subroutine cuboid_window_create(bytes, communicator, window, ierror) &
        bind(C, name="cuboid_fortran_window_create")
      import
      integer(c_size_t), intent(in) :: bytes
      type(cuboid_communicator), intent(in) :: communicator
      type(cuboid_window), intent(out) :: window
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_window_free(window, ierror) &
        bind(C, name="cuboid_fortran_window_free")
      import
      type(cuboid_window), intent(inout) :: window
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! This rank's window memory, for c_f_pointer().
    subroutine cuboid_window_memory(window, memory, bytes, ierror) &
        bind(C, name="cuboid_fortran_window_memory")
      import
      type(cuboid_window), intent(in) :: window
      type(c_ptr), intent(out) :: memory
      integer(c_size_t), intent(out) :: bytes
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Copies to or from a peer's memory, starting at byte `offset`; `mine` must not be used until
    ! the flush.
    subroutine cuboid_window_put(mine, peer, offset, window, ierror) &
        bind(C, name="cuboid_fortran_window_put")
      import
      type(*), dimension(..), intent(in), asynchronous :: mine
      integer(c_int), intent(in) :: peer
      integer(c_size_t), intent(in) :: offset
      type(cuboid_window), intent(in) :: window
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_window_get(mine, peer, offset, window, ierror) &
        bind(C, name="cuboid_fortran_window_get")
      import
      type(*), dimension(..), asynchronous :: mine
      integer(c_int), intent(in) :: peer
      integer(c_size_t), intent(in) :: offset
      type(cuboid_window), intent(in) :: window
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Waits until every put and get of this rank is complete, at the peer as well.
    subroutine cuboid_window_flush(window, ierror) &
        bind(C, name="cuboid_fortran_window_flush")
      import
      type(cuboid_window), intent(in) :: window
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Completes the puts and gets of all ranks. Collective.
    subroutine cuboid_window_fence(window, ierror) &
        bind(C, name="cuboid_fortran_window_fence")
      import
      type(cuboid_window), intent(in) :: window
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface
end module
