!> The rows of misuse.txt that Fortran can express. Usage: bindings_misuse_fortran misuse.txt [compared]: with the
!> second, the rows that only ranks that compare their calls find (CUBOID_CHECK=collective).
module misuses
  use cuboid
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: block = 4
  integer(c_size_t), parameter :: huge_count = ibset(0_c_size_t, 63) ! 2**63, or so many less than 0

  type :: row
    character(64) :: operation, misuse, error
  end type
  type(row), allocatable :: rows(:)

  !> The arguments of a call but for its arrays, which a misuse changes.
  type :: arguments
    integer(c_size_t) :: in_counts(3) = block, out_counts(3) = block, places(3) = -1
    logical :: with_places = .false.
    integer(c_int) :: root = 0, destination, source, number = 0
    type(cuboid_reduction) :: reduction = CUBOID_SUM
    type(cuboid_neighbourhood) :: ring
    type(cuboid_communicator) :: communicator
  end type

contains

  !> The rows of this interface.
  subroutine read_rows(path, compared)
    character(*), intent(in) :: path
    logical, intent(in) :: compared
    character(64) :: words(4)
    character(256) :: line
    integer :: unit, status
    allocate (rows(0))
    open (newunit=unit, file=path, status='old', action='read')
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line == '' .or. line(1:1) == '#') cycle
      read (line, *, iostat=status) words(1), words(2), words(3)
      if (status /= 0) cycle
      words(4) = ','//trim(line(index(trim(line), ' ', back=.true.) + 1:))//','
      if (index(words(4), ',fortran,') == 0 .or. (words(2) == 'ranks_differ' .neqv. compared)) cycle
      rows = [rows, row(words(1), words(2), words(3))]
    end do
    close (unit)
  end subroutine

  function name_of(code) result(name)
    integer(c_int), intent(in) :: code
    character(64) :: name
    character(16), parameter :: names(0:9) = [character(16) :: 'success', 'invalid_argument', 'mismatch', &
      'timeout', 'peer_failed', 'out_of_memory', 'io', 'parse', 'unsupported', 'internal']
    name = 'unknown'
    if (code >= 0 .and. code <= 9) name = names(code)
  end function

  !> One call; with a request it is started, with a plan planned. code: -2 where it is not known.
  recursive subroutine make(operation, input, output, a, code, request, plan)
    character(*), intent(in) :: operation
    type(*), dimension(..), asynchronous :: input, output
    type(arguments), intent(in) :: a
    integer(c_int), intent(out) :: code
    type(cuboid_request), intent(inout), optional :: request
    type(cuboid_plan), intent(inout), optional :: plan
    code = -2
    associate (c => a%communicator)
      select case (operation)
      case ('broadcast')
        call cuboid_broadcast(output, a%root, c, code, request, plan)
      case ('reduce')
        call cuboid_reduce(input, output, a%reduction, a%root, c, code, request, plan)
      case ('allreduce')
        call cuboid_allreduce(input, output, a%reduction, c, code, request, plan)
      case ('scan')
        call cuboid_scan(input, output, a%reduction, c, code, request, plan)
      case ('exscan')
        call cuboid_exscan(input, output, a%reduction, c, code, request, plan)
      case ('reduce_scatter')
        call cuboid_reduce_scatter(input, output, a%reduction, c, code, request, plan)
      case ('reduce_scatterv')
        call cuboid_reduce_scatterv(input, output, a%in_counts, a%reduction, c, code, request, plan)
      case ('allgather')
        call cuboid_allgather(input, output, c, code, request, plan)
      case ('allgatherv')
        if (a%with_places) then
          call cuboid_allgatherv(input, output, a%out_counts, a%places, c, code, request, plan)
        else
          call cuboid_allgatherv(input, output, a%out_counts, communicator=c, ierror=code, request=request, plan=plan)
        end if
      case ('gather')
        call cuboid_gather(input, output, a%root, c, code, request, plan)
      case ('gatherv')
        if (a%with_places) then
          call cuboid_gatherv(input, output, a%out_counts, a%places, a%root, c, code, request, plan)
        else
          call cuboid_gatherv(input, output, a%out_counts, root=a%root, communicator=c, ierror=code, &
            request=request, plan=plan)
        end if
      case ('scatter')
        call cuboid_scatter(input, output, a%root, c, code, request, plan)
      case ('scatterv')
        if (a%with_places) then
          call cuboid_scatterv(input, a%in_counts, a%places, output, a%root, c, code, request, plan)
        else
          call cuboid_scatterv(input, a%in_counts, output=output, root=a%root, communicator=c, ierror=code, &
            request=request, plan=plan)
        end if
      case ('alltoall')
        call cuboid_alltoall(input, output, c, code, request, plan)
      case ('alltoallv')
        if (a%with_places) then
          call cuboid_alltoallv(input, a%in_counts, a%places, output, a%out_counts, a%places, c, code, request, plan)
        else
          call cuboid_alltoallv(input, a%in_counts, output=output, output_counts=a%out_counts, &
            communicator=c, ierror=code, request=request, plan=plan)
        end if
      case ('neighbour_allgather')
        call cuboid_neighbour_allgather(input, output, a%ring, c, code, request, plan)
      case ('neighbour_alltoall')
        call cuboid_neighbour_alltoall(input, output, int(block, c_size_t), a%ring, c, code, request, plan)
      case ('neighbour_alltoallv')
        if (a%with_places) then
          call cuboid_neighbour_alltoallv(input, a%in_counts, a%places, output, a%out_counts, a%places, a%ring, c, &
            code, request, plan)
        else
          call cuboid_neighbour_alltoallv(input, a%in_counts, output=output, output_counts=a%out_counts, &
            neighbourhood=a%ring, communicator=c, ierror=code, request=request, plan=plan)
        end if
      case ('send')
        call cuboid_send(input, a%destination, a%number, c, code, request, plan)
      case ('receive')
        call cuboid_receive(output, a%source, a%number, c, code, request, plan)
      case ('exchange')
        call cuboid_exchange(input, a%destination, output, a%source, a%number, c, code, request, plan)
      end select
    end associate
    if (code /= CUBOID_SUCCESS) return
    if (present(request)) call cuboid_wait(request, code)
    if (present(plan)) call cuboid_plan_run(plan, code)
  end subroutine

  !> Blocks in the input and the output of an operation.
  subroutine blocks_of(operation, ranks, in, out)
    character(*), intent(in) :: operation
    integer, intent(in) :: ranks
    integer, intent(out) :: in, out
    in = 1
    out = 1
    select case (operation)
    case ('reduce_scatter', 'reduce_scatterv', 'scatter', 'scatterv')
      in = ranks
    case ('allgather', 'allgatherv', 'gather', 'gatherv')
      out = ranks
    case ('alltoall', 'alltoallv')
      in = ranks
      out = ranks
    case ('neighbour_allgather')
      out = 2
    case ('neighbour_alltoall', 'neighbour_alltoallv')
      in = 2
      out = 2
    end select
  end subroutine

  !> Whether this rank makes the call: what only the root looks at is wrong only there.
  logical function made_here(this, rank)
    type(row), intent(in) :: this
    integer, intent(in) :: rank
    made_here = .true.
    if (any(this%misuse == ['nothing     ', 'ranks_differ'])) return
    if (index(this%misuse, 'root') == 1 .or. index(this%misuse, 'reduction') == 1) return
    if (index(this%misuse, 'no_') == 1) return
    select case (this%operation)
    case ('gather', 'gatherv', 'scatter', 'scatterv', 'reduce')
      made_here = rank == 0
    end select
  end function

  !> The calls of a row of a collective, in three forms; counts those that do not end as the row says.
  subroutine try(this, communicator, rank, ranks, wrong)
    type(row), intent(in) :: this
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    real(c_double), asynchronous :: input(64), output(64)
    integer(c_int64_t), asynchronous :: others(64)
    type(arguments) :: a
    type(cuboid_request) :: request
    type(cuboid_plan) :: plan
    integer :: form, n, m
    integer(c_int) :: code
    do form = 1, 3
      input = 1
      a = arguments(destination=modulo(rank + 1, ranks), source=modulo(rank - 1, ranks), &
        ring=cuboid_neighbourhood(), communicator=communicator)
      call cuboid_neighbourhood_grid(1, [ranks], [1], rank, a%ring)
      call blocks_of(this%operation, ranks, n, m)
      n = n*block
      m = m*block
      select case (this%misuse)
      case ('nothing', 'in_place_input', 'in_place_output', 'types_differ', 'overlap')
      case ('input_short')
        n = n - 1
      case ('input_long')
        n = n + 1
      case ('output_short')
        m = m - 1
      case ('output_long')
        m = m + 1
      case ('not_divisible')
        n = n + 1
        m = m + 1
      case ('counts_wrap')
        a%in_counts(1:2) = huge_count
        a%out_counts(1:2) = huge_count
      case ('displacement_wraps')
        a%with_places = .true.
      case ('root_negative')
        a%root = -1
      case ('root_large')
        a%root = ranks
      case ('destination_large')
        a%destination = ranks
      case ('source_negative')
        a%source = -1
      case ('number_negative')
        a%number = -1
      case ('number_large')
        a%number = 32768
      case ('reduction_undefined')
        a%reduction = CUBOID_BITWISE_AND
      case ('reduction_average')
        a%reduction = CUBOID_AVERAGE
      case ('reduction_unknown')
        a%reduction = cuboid_reduction(99)
      case ('reduction_null')
        a%reduction = cuboid_reduction(0)
      case ('no_communicator')
        a%communicator = cuboid_communicator(0)
      case ('no_neighbourhood')
        call cuboid_neighbourhood_free(a%ring)
        a%ring = cuboid_neighbourhood(0)
      case ('ranks_differ')
        if (rank == 1) then
          n = n + n/block
          m = m + m/block
        end if
      case default
        wrong = wrong + 1
      end select
      code = CUBOID_SUCCESS
      if (made_here(this, rank)) then
        select case (this%misuse)
        case ('in_place_input')
          call in_form(form, CUBOID_IN_PLACE, output(1:m))
        case ('in_place_output')
          call in_form(form, input(1:n), CUBOID_IN_PLACE)
        case ('types_differ')
          call in_form(form, input(1:n), others(1:m))
        case ('overlap')
          call in_form(form, input(1:n), input(2:m + 1))
        case default
          call in_form(form, input(1:n), output(1:m))
        end select
        if (name_of(code) /= this%error) wrong = wrong + 1
      end if
      call cuboid_neighbourhood_free(a%ring)
      call cuboid_barrier(communicator)
    end do

  contains

    subroutine in_form(form, from, to)
      integer, intent(in) :: form
      type(*), dimension(..), asynchronous :: from, to
      select case (form)
      case (1)
        call make(this%operation, from, to, a, code)
      case (2)
        call make(this%operation, from, to, a, code, request=request)
      case default
        call make(this%operation, from, to, a, code, plan=plan)
        if (plan%handle /= 0) call cuboid_plan_free(plan)
      end select
    end subroutine
  end subroutine

  !> The call of a row that is no collective; code: -2 where it is not known.
  subroutine other(this, communicator, rank, ranks, code)
    type(row), intent(in) :: this
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: rank, ranks
    integer(c_int), intent(out) :: code
    type(cuboid_matrix) :: a, b, c
    type(cuboid_factorisation) :: factors
    type(cuboid_qr_factorisation) :: orthogonal
    type(cuboid_window) :: window
    type(cuboid_neighbourhood) :: ring
    type(cuboid_communicator) :: made
    real(c_double) :: memory(9, 9)
    integer(c_int64_t), parameter :: far = 2_c_int64_t**40
    integer :: ignored
    code = -2
    memory = 0
    select case (trim(this%operation)//' '//trim(this%misuse))
    case ('barrier no_communicator')
      call cuboid_barrier(cuboid_communicator(0), code)
    case ('communicator_from_pmix no_launcher')
      call cuboid_communicator_from_pmix(made, code)
    case ('window_put outside')
      call cuboid_window_create(8_c_size_t, communicator, window)
      call cuboid_window_put(memory(:, 1), 0, 0_c_size_t, window, code)
      call cuboid_window_free(window)
    case ('window_put in_place_input')
      call cuboid_window_create(8_c_size_t, communicator, window)
      call cuboid_window_put(CUBOID_IN_PLACE, 0, 0_c_size_t, window, code)
      call cuboid_window_free(window)
    case ('window_put peer_large')
      call cuboid_window_create(8_c_size_t, communicator, window)
      call cuboid_window_put(memory(1, 1), ranks, 0_c_size_t, window, code)
      call cuboid_window_free(window)
    case ('window_get outside')
      call cuboid_window_create(8_c_size_t, communicator, window)
      call cuboid_window_get(memory(1, 1), 0, 1_c_size_t, window, code)
      call cuboid_window_free(window)
    case ('window_get in_place_output')
      call cuboid_window_create(8_c_size_t, communicator, window)
      call cuboid_window_get(CUBOID_IN_PLACE, 0, 0_c_size_t, window, code)
      call cuboid_window_free(window)
    case ('window_create huge_count')
      call cuboid_window_create(huge_count, communicator, window, code)
    case ('neighbourhood_grid negative_size')
      call cuboid_neighbourhood_grid(-3, [ranks], [1], rank, ring, code)
    case ('neighbourhood_grid rank_large')
      call cuboid_neighbourhood_grid(1, [ranks], [1], ranks, ring, code)
    case ('window_create_on_device negative_device')
      call cuboid_window_create_on_device(8_c_size_t, -1, communicator, window, code)
    case ('matrix_create_on_device negative_device')
      call cuboid_matrix_create_on_device(cuboid_layout(9, 9), CUBOID_FLOAT64, -1, communicator, a, code)
    case ('matrix_create negative_size')
      call cuboid_matrix_create(cuboid_layout(-1, 9), CUBOID_FLOAT64, communicator, a, code)
    case ('matrix_create huge_size')
      call cuboid_matrix_create(cuboid_layout(far, far), CUBOID_FLOAT64, communicator, a, code)
    case ('matrix_create negative_block')
      call cuboid_matrix_create(cuboid_layout(9, 9, -1, -1), CUBOID_FLOAT64, communicator, a, code)
    case ('matrix_create grid_large')
      call cuboid_matrix_create(cuboid_layout(9, 9, 2, 2, ranks + 1, 1), CUBOID_FLOAT64, communicator, a, code)
    case ('matrix_create type_unknown')
      call cuboid_matrix_create(cuboid_layout(9, 9), -5_c_int64_t, communicator, a, code)
    case ('matrix_wrap short_leading')
      call cuboid_matrix_wrap(cuboid_layout(9, 9), memory(1:1, :), communicator, a, code)
    case ('multiply shapes_differ', 'multiply no_handle', 'redistribute shapes_differ', 'cholesky shapes_differ', &
        'trsm shapes_differ', 'solve shapes_differ', 'solve_mixed shapes_differ', 'factorise op_unknown', &
        'refine negative_steps', 'multiply name_unknown', 'factorise no_handle', 'factorisation_info no_handle', &
        'qr no_handle', 'qr_apply shapes_differ', 'least_squares shapes_differ', &
        'syrk shapes_differ', 'trmm shapes_differ', 'lacpy shapes_differ', 'lascl zero_divisor', 'trtri shapes_differ')
      call cuboid_matrix_create(cuboid_layout(9, 9), CUBOID_FLOAT64, communicator, a)
      call cuboid_matrix_create(cuboid_layout(8, 9), CUBOID_FLOAT64, communicator, b)
      call cuboid_matrix_fill_random(a, 1_c_int64_t)
      call cuboid_matrix_fill_random(b, 2_c_int64_t)
      select case (trim(this%operation)//' '//trim(this%misuse))
      case ('multiply shapes_differ')
        call cuboid_multiply(1d0, CUBOID_NONE, a, CUBOID_NONE, b, 0d0, b, ierror=code)
      case ('multiply no_handle')
        call cuboid_multiply(1d0, CUBOID_NONE, c, CUBOID_NONE, a, 0d0, b, ierror=code)
      case ('multiply name_unknown')
        call cuboid_multiply(1d0, CUBOID_NONE, a, CUBOID_NONE, a, 0d0, b, 'none_such', code)
      case ('redistribute shapes_differ')
        call cuboid_redistribute(CUBOID_NONE, a, b, code)
      case ('cholesky shapes_differ')
        call cuboid_cholesky(b, factors, code)
      case ('trsm shapes_differ')
        call cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_UNIT_DIAGONAL, 1d0, a, b, code)
      case ('lacpy shapes_differ')
        call cuboid_lacpy(CUBOID_UPPER, a, b, code)
      case ('lascl zero_divisor')
        call cuboid_lascl(CUBOID_WHOLE, 0d0, 1d0, a, code)
      case ('trtri shapes_differ')
        call cuboid_trtri(CUBOID_LOWER, CUBOID_UNIT_DIAGONAL, b, code)
      case ('syrk shapes_differ')
        call cuboid_syrk(CUBOID_LOWER, CUBOID_NONE, 1d0, a, 0d0, b, code)
      case ('trmm shapes_differ')
        call cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_UNIT_DIAGONAL, 1d0, a, b, code)
      case ('solve shapes_differ')
        call cuboid_solve(a, b, code)
      case ('solve_mixed shapes_differ')
        call cuboid_solve_mixed(a, b, CUBOID_GENERAL, ierror=code)
      case ('factorise op_unknown')
        call cuboid_factorise(a, 7, factors, code)
      case ('factorise no_handle')
        call cuboid_factorise(c, CUBOID_PIVOTING_NONE, factors, code)
      case ('factorisation_info no_handle')
        call cuboid_factorisation_is_finite(factors, ignored, code)
      case ('qr no_handle')
        call cuboid_qr(c, orthogonal, code)
      case ('qr_apply shapes_differ')
        call cuboid_qr(a, orthogonal)
        call cuboid_qr_apply(orthogonal, CUBOID_NONE, CUBOID_LEFT, b, code)
        call cuboid_qr_free(orthogonal)
      case ('least_squares shapes_differ')
        call cuboid_least_squares(a, b, a, code)
      case ('refine negative_steps')
        call cuboid_factorise(a, CUBOID_PIVOTING_PARTIAL, factors)
        call cuboid_refine(factors, a, a, a, -1, code)
        call cuboid_factorisation_free(factors)
      end select
      call cuboid_matrix_free(a)
      call cuboid_matrix_free(b)
    end select
    if (code /= -2) call cuboid_barrier(communicator)
  end subroutine

  subroutine everything(communicator, context, code) bind(C)
    type(cuboid_communicator), intent(in) :: communicator
    type(c_ptr), intent(in) :: context
    integer(c_int), intent(out) :: code
    integer(c_int) :: rank, ranks, got
    integer :: i, before
    code = 0
    if (c_associated(context)) return
    call cuboid_communicator_rank(communicator, rank)
    call cuboid_communicator_size(communicator, ranks)
    do i = 1, size(rows)
      before = code
      call other(rows(i), communicator, rank, ranks, got)
      if (got == -2) then
        call try(rows(i), communicator, rank, ranks, code)
      else if (name_of(got) /= rows(i)%error) then
        code = code + 1
      end if
      if (code == before) cycle
      write (error_unit, '(a,i0,8a)') 'rank ', rank, ': ', trim(rows(i)%operation), ' with ', trim(rows(i)%misuse), &
        ' does not end in ', trim(rows(i)%error), ' ', cuboid_error_message()
    end do
  end subroutine
end module

program misuse
  use misuses
  implicit none
  character(1024) :: path
  integer(c_int) :: code
  call get_command_argument(1, path)
  call read_rows(trim(path), command_argument_count() > 1)
  call cuboid_run_ranks(3, everything, c_null_ptr, code)
  if (size(rows) == 0 .or. code /= CUBOID_SUCCESS) error stop 1
end program
