!> The Fortran module on any communicator: counts the checks that do not hold.
module checks
  use cuboid
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: block = 5

contains

  subroutine check(holds, what, wrong)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    integer, intent(inout) :: wrong
    if (holds) return
    wrong = wrong + 1
    write (error_unit, '(3a)') what, ' does not hold: ', cuboid_error_message()
  end subroutine

  subroutine kinds(communicator, rank, ranks, wrong)
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    real(c_float) :: single(2, 3), singles(2, 3)
    real(c_double) :: double(block), doubles(block)
    complex(c_float_complex) :: complexes(block)
    complex(c_double_complex) :: long_complexes(block), root_has
    integer(c_int64_t) :: total
    logical :: all_agree
    real(c_double) :: sum, found(2, 2)
    integer(c_int) :: where_greatest(2)

    sum = ranks*(ranks + 1)/2
    single = real(rank + 1)
    call cuboid_allreduce(single, singles, CUBOID_SUM, communicator)
    call check(all(singles == real(sum)), 'sum of real(4)', wrong)
    double = rank + 1
    call cuboid_reduce(double, doubles, CUBOID_MAXIMUM, ranks - 1, communicator)
    if (rank == ranks - 1) call check(all(doubles == ranks), 'maximum of real(8)', wrong)
    call cuboid_allreduce(CUBOID_IN_PLACE, double, CUBOID_SUM, communicator)
    call check(all(double == sum), 'sum in place', wrong)
    found(:, 1) = [abs(rank - 1.5d0), real(rank, c_double)]
    found(:, 2) = [real(rank, c_double), real(rank, c_double)]
    call cuboid_allreduce(CUBOID_IN_PLACE, found, CUBOID_MINIMUM_LOCATION, communicator)
    call check(found(2, 1) == min(ranks - 1, 1) .and. found(2, 2) == 0, 'the least and where it is', wrong)
    where_greatest = [rank, rank]
    call cuboid_allreduce(CUBOID_IN_PLACE, where_greatest, CUBOID_MAXIMUM_LOCATION, communicator)
    call check(all(where_greatest == ranks - 1), 'the greatest and where it is', wrong)
    complexes = cmplx(rank + 1, -(rank + 1))
    call cuboid_allreduce(CUBOID_IN_PLACE, complexes, CUBOID_SUM, communicator)
    call check(all(complexes == cmplx(sum, -sum)), 'sum of complex(4)', wrong)
    long_complexes = cmplx(0, rank + 1, c_double_complex)
    call cuboid_scan(CUBOID_IN_PLACE, long_complexes, CUBOID_SUM, communicator)
    call check(all(aimag(long_complexes) == (rank + 1)*(rank + 2)/2), 'scan of complex(8)', wrong)
    root_has = merge((1d0, 2d0), (0d0, 0d0), rank == 0)
    call cuboid_broadcast(root_has, 0, communicator)
    call check(root_has == (1d0, 2d0), 'broadcast of a scalar', wrong)
    total = rank
    call cuboid_allreduce(CUBOID_IN_PLACE, total, CUBOID_SUM, communicator)
    call check(total == ranks*(ranks - 1)/2, 'sum of integer(8)', wrong)
    all_agree = rank > 0
    call cuboid_allreduce(CUBOID_IN_PLACE, all_agree, CUBOID_LOGICAL_AND, communicator)
    call check(.not. all_agree, 'logical and', wrong)
  end subroutine

  subroutine blocks(communicator, rank, ranks, wrong)
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    integer(c_int) :: mine(block), all_mine(block, ranks), from_all(block, ranks), back(block), r
    integer(c_int), allocatable :: longer(:), own(:)
    integer(c_size_t) :: counts(ranks), places(ranks), own_counts(ranks)

    mine = rank
    call cuboid_allgather(mine, all_mine, communicator)
    call check(all([(all(all_mine(:, r + 1) == r), r=0, ranks - 1)]), 'allgather', wrong)
    all_mine = -1
    call cuboid_gather(mine, all_mine, 0, communicator)
    if (rank == 0) call check(all([(all(all_mine(:, r + 1) == r), r=0, ranks - 1)]), 'gather', wrong)
    back = -1
    call cuboid_scatter(all_mine, back, 0, communicator)
    call check(all(back == rank), 'scatter', wrong)
    all_mine = 1
    call cuboid_reduce_scatter(all_mine, back, CUBOID_SUM, communicator)
    call check(all(back == ranks), 'reduce_scatter', wrong)
    do r = 1, ranks
      all_mine(:, r) = 100*rank + r - 1
    end do
    call cuboid_alltoall(all_mine, from_all, communicator)
    call check(all([(all(from_all(:, r + 1) == 100*r + rank), r=0, ranks - 1)]), 'alltoall', wrong)

    counts = [(int(r, c_size_t), r=0, ranks - 1)]
    places = [(int(r*(r + 1)/2, c_size_t), r=0, ranks - 1)]
    allocate (longer(ranks*(ranks + 1)/2), source=-1)
    allocate (own(rank), source=rank)
    call cuboid_allgatherv(own, longer, counts, places, communicator)
    call check(all([(longer(int(places(r + 1)) + r + 1) == -1, r=0, ranks - 2)]), 'gaps', wrong)
    call check(count(longer == ranks - 1) == ranks - 1, 'allgatherv', wrong)
    longer = -1
    call cuboid_gatherv(own, longer, counts, root=0, communicator=communicator)
    own = -1
    call cuboid_scatterv(longer, counts, output=own, root=0, communicator=communicator)
    call check(all(own == rank), 'gatherv and scatterv', wrong)
    own_counts = rank
    deallocate (own)
    allocate (own(rank*ranks), source=rank)
    call cuboid_alltoallv(own, own_counts, output=longer, output_counts=counts, communicator=communicator)
    call check(count(longer == ranks - 1) == ranks - 1, 'alltoallv', wrong)
    call cuboid_reduce_scatterv(longer(1:ranks*(ranks - 1)/2), own(1:rank), counts, CUBOID_MAXIMUM, communicator)
  end subroutine

  subroutine started_and_planned(communicator, rank, ranks, wrong)
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    type(cuboid_communicator) :: on_stream
    type(cuboid_request) :: requests(2)
    type(cuboid_plan) :: plan
    type(cuboid_neighbourhood) :: ring
    real(c_double), asynchronous :: mine, summed, got, both(2), other(3)
    integer(c_int) :: complete, turn

    mine = rank + 1
    call cuboid_allreduce(mine, summed, CUBOID_SUM, communicator, request=requests(1))
    call cuboid_exchange(mine, modulo(rank + 1, ranks), got, modulo(rank - 1, ranks), 7, communicator, &
      request=requests(2))
    complete = 0
    do while (complete == 0)
      call cuboid_test(requests(1), complete)
    end do
    call check(summed == ranks*(ranks + 1)/2, 'a started sum', wrong)
    call cuboid_wait_all(2_c_size_t, requests)
    ! Without a device a stream has no work.
    summed = 0
    call cuboid_on_stream(communicator, c_null_ptr, on_stream)
    call cuboid_allreduce(mine, summed, CUBOID_SUM, on_stream, request=requests(1))
    call cuboid_wait_on_stream(requests(1), c_null_ptr)
    call check(requests(1)%handle == 0 .and. summed == ranks*(ranks + 1)/2, 'a sum started on a stream', wrong)
    call cuboid_wait_on_stream(requests(1), c_null_ptr, complete)
    call check(complete == CUBOID_INVALID_ARGUMENT, 'a request that is complete is refused', wrong)
    call cuboid_communicator_free(on_stream)
    call check(got == modulo(rank - 1, ranks) + 1, 'an exchange', wrong)
    call cuboid_allreduce(mine, summed, CUBOID_SUM, communicator, plan=plan)
    do turn = 1, 3
      mine = turn
      call cuboid_plan_run(plan)
      call check(summed == turn*ranks, 'a planned sum', wrong)
    end do
    call cuboid_plan_free(plan)
    call check(plan%handle == 0, 'a freed handle is 0', wrong)
    call cuboid_neighbourhood_grid(1, [ranks], [1], rank, ring)
    call cuboid_neighbour_allgather(real(rank, c_double), both, ring, communicator)
    call check(all(both == [modulo(rank - 1, ranks), modulo(rank + 1, ranks)]), 'neighbours', wrong)
    call cuboid_neighbour_allgather(both, both(1:1), ring, communicator, complete)
    call check(complete == CUBOID_INVALID_ARGUMENT, 'too short an output for the neighbours is refused', wrong)
    call cuboid_neighbour_alltoall(both, summed, 1_c_size_t, ring, communicator, complete)
    call check(complete == CUBOID_INVALID_ARGUMENT, 'too short an output of neighbours is refused', wrong)
    call cuboid_neighbour_alltoallv(both, [2_c_size_t, 1_c_size_t], output=other, &
      output_counts=[1_c_size_t, 2_c_size_t], neighbourhood=ring, communicator=communicator, ierror=complete)
    call check(complete == CUBOID_INVALID_ARGUMENT, 'too short an input for the neighbours is refused', wrong)
    call cuboid_neighbourhood_free(ring)
    call cuboid_barrier(communicator)
  end subroutine

  subroutine last_wins(left, right, result, count, context) bind(C)
    type(c_ptr), value :: left, right, result, context
    integer(c_size_t), value :: count
    integer(c_int), pointer :: from(:), to(:)
    if (c_associated(left) .and. c_associated(context)) return
    call c_f_pointer(right, from, [count])
    call c_f_pointer(result, to, [count])
    to = from
  end subroutine

  subroutine communicators(communicator, rank, ranks, wrong)
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: rank, ranks
    integer, intent(inout) :: wrong
    type(cuboid_communicator) :: part, ruled
    type(cuboid_traffic) :: traffic
    type(cuboid_reduction) :: last
    type(cuboid_window) :: window
    type(c_funptr) :: function
    type(c_ptr) :: memory
    integer(c_int), pointer :: here(:)
    integer(c_int) :: size, dimensions, extents(CUBOID_MAX_DIMENSIONS), wraps(CUBOID_MAX_DIMENSIONS), same, winner
    integer(c_size_t) :: bytes

    call cuboid_communicator_split(communicator, merge(0, -1, modulo(rank, 2) == 0), rank, part)
    call check((part%handle /= 0) .eqv. modulo(rank, 2) == 0, 'split', wrong)
    if (part%handle /= 0) then
      call cuboid_communicator_size(part, size)
      call check(size == (ranks + 1)/2, 'the size of a part', wrong)
      call cuboid_communicator_free(part)
    end if
    call cuboid_communicator_with_algorithms(communicator, 'broadcast:binomial', ruled)
    call cuboid_broadcast(size, 0, ruled)
    call cuboid_communicator_free(ruled)
    call cuboid_communicator_traffic(communicator, -1, traffic)
    call check(ranks == 1 .or. traffic%messages_sent > 0, 'traffic', wrong)
    call cuboid_topology_shape(communicator, dimensions, extents, wraps)
    call check(dimensions >= 0, 'a shape', wrong)
    call cuboid_topology_same_node(communicator, 0, same)
    call check(same == 1, 'one node', wrong)
    function = c_funloc(last_wins)
    call cuboid_reduction_create(function, c_null_ptr, 0, last)
    call cuboid_allreduce(rank, winner, last, communicator)
    call check(winner == ranks - 1, 'an operation of its own', wrong)
    call cuboid_reduction_free(last)
    call cuboid_window_create(4_c_size_t, communicator, window)
    call cuboid_window_put(rank, modulo(rank + 1, ranks), 0_c_size_t, window)
    call cuboid_window_fence(window)
    call cuboid_window_memory(window, memory, bytes)
    call c_f_pointer(memory, here, [bytes/4])
    call check(here(1) == modulo(rank - 1, ranks), 'a window', wrong)
    call cuboid_window_fence(window)
    call cuboid_window_free(window)
  end subroutine

  subroutine matrices(communicator, wrong)
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(inout) :: wrong
    integer, parameter :: n = 30
    type(cuboid_matrix) :: a, x, b, single, wrapped, inverse, rotated
    type(cuboid_multiplication) :: product
    type(cuboid_factorisation) :: factors
    type(cuboid_qr_factorisation) :: orthogonal
    real(c_double), pointer :: part(:, :)
    real(c_float), pointer :: singles(:, :)
    real(c_double), target :: own(n + 2, n)
    real(c_double) :: sign, logarithm, condition, norm, inverse_norm, taus(n)
    integer(c_int64_t) :: info, pivots(n)
    integer(c_int) :: code, method, steps, device

    call cuboid_matrix_create(cuboid_layout(n, n, 4, 4), CUBOID_FLOAT64, communicator, a)
    call cuboid_matrix_device(a, device)
    call check(device == -1, 'memory of the host', wrong)
    call cuboid_matrix_create(cuboid_layout(n, 3), CUBOID_FLOAT64, communicator, x)
    call cuboid_matrix_create(cuboid_layout(n, 3), CUBOID_FLOAT64, communicator, b)
    call cuboid_matrix_create(cuboid_layout(n, 3), CUBOID_FLOAT32, communicator, single)
    call cuboid_matrix_fill_random(a, 1_c_int64_t)
    call cuboid_matrix_fill_random(x, 2_c_int64_t)
    ! b = 2 a x, planned and not; then a^-1 b - 2 x = 0.
    call cuboid_multiplication_create(CUBOID_NONE, a, CUBOID_NONE, x, b, product, 'summa')
    call cuboid_multiplication_run(product, 1d0, a, x, 0d0, b)
    call cuboid_multiplication_free(product)
    call cuboid_multiply(1d0, CUBOID_NONE, a, CUBOID_NONE, x, 1d0, b)
    call cuboid_factorise(a, CUBOID_PIVOTING_PARTIAL, factors)
    call cuboid_factorisation_info(factors, info)
    call cuboid_factorisation_pivots(factors, pivots)
    call cuboid_factorisation_is_finite(factors, code)
    call check(code == 1, 'finite factors', wrong)
    call check(info == 0 .and. all(pivots >= 1 .and. pivots <= n), 'pivots', wrong)
    call cuboid_factorisation_determinant(factors, sign, logarithm)
    call check(abs(sign) == 1, 'a determinant', wrong)
    call cuboid_factorisation_reciprocal_condition(factors, condition)
    call check(condition > 0 .and. condition < 1, 'a condition', wrong)
    call cuboid_matrix_create(cuboid_layout(n, n), CUBOID_FLOAT64, communicator, inverse)
    call cuboid_factorisation_inverse(factors, inverse)
    call cuboid_norm(CUBOID_NORM_ONE, a, norm)
    call cuboid_norm(CUBOID_NORM_ONE, inverse, inverse_norm)
    call check(condition*norm*inverse_norm > 0.9d0 .and. condition*norm*inverse_norm < 3.1d0, 'an inverse', wrong)
    call cuboid_factorisation_reciprocal_condition_in_norm(factors, CUBOID_NORM_INFINITY, condition)
    call cuboid_norm(CUBOID_NORM_INFINITY, a, norm)
    call cuboid_norm(CUBOID_NORM_INFINITY, inverse, inverse_norm)
    call check(condition*norm*inverse_norm > 0.9d0 .and. condition*norm*inverse_norm < 3.1d0, 'in rows', wrong)
    call cuboid_norm(CUBOID_NORM_ONE, a, norm)
    call cuboid_lacpy(CUBOID_WHOLE, a, inverse)
    call cuboid_lascl(CUBOID_WHOLE, 1d0, 2d0, inverse)
    call cuboid_norm(CUBOID_NORM_ONE, inverse, inverse_norm)
    call check(abs(inverse_norm - 2*norm) < 1d-12*norm, 'scaled', wrong)
    call cuboid_laset(CUBOID_WHOLE, 0d0, 3d0, inverse)
    call cuboid_norm(CUBOID_NORM_ONE, inverse, inverse_norm)
    call check(inverse_norm == 3, 'set', wrong)
    call cuboid_trtri(CUBOID_UPPER, CUBOID_STORED_DIAGONAL, inverse)
    call cuboid_norm(CUBOID_NORM_ONE, inverse, inverse_norm)
    call check(abs(inverse_norm - 1/3d0) < 1d-15, 'a triangle inverted', wrong)
    call cuboid_matrix_free(inverse)
    call cuboid_factorisation_solve(factors, CUBOID_NONE, b)
    call cuboid_factorisation_free(factors)
    call cuboid_matrix_part(b, part)
    part = part/2
    call difference_is_small()
    call cuboid_multiply(1d0, CUBOID_NONE, a, CUBOID_NONE, x, 0d0, b)
    call cuboid_solve(a, b)
    call difference_is_small()
    call cuboid_multiply(1d0, CUBOID_NONE, a, CUBOID_NONE, x, 0d0, b)
    call cuboid_solve_mixed(a, b, CUBOID_GENERAL, method, steps)
    call check(method == CUBOID_MIXED_REFINEMENT .and. steps >= 0, 'mixed precision', wrong)
    call difference_is_small()
    call cuboid_multiply(1d0, CUBOID_NONE, a, CUBOID_NONE, x, 0d0, b)
    call cuboid_matrix_create(cuboid_layout(n, 3), CUBOID_FLOAT64, communicator, rotated)
    call cuboid_redistribute(CUBOID_NONE, b, rotated)
    call cuboid_qr(a, orthogonal)
    call cuboid_qr_info(orthogonal, info)
    call cuboid_qr_is_finite(orthogonal, code)
    call check(info == 0 .and. code == 1, 'factors of QR', wrong)
    call cuboid_qr_taus(orthogonal, taus)
    call check(all(taus >= 0 .and. taus <= 2), 'taus', wrong)
    call cuboid_qr_apply(orthogonal, CUBOID_TRANSPOSE, CUBOID_LEFT, rotated)
    call cuboid_qr_apply(orthogonal, CUBOID_NONE, CUBOID_LEFT, rotated)
    call cuboid_qr_least_squares(orthogonal, rotated, b)
    call difference_is_small()
    call cuboid_least_squares(a, rotated, b)
    call difference_is_small()
    call cuboid_qr_free(orthogonal)
    call cuboid_matrix_free(rotated)

    ! The first rows of a longer array hold a part.
    call cuboid_matrix_part(x, part)
    own = -1
    call cuboid_matrix_wrap(cuboid_layout(n, 3), own(1:size(part, 1), 1:size(part, 2)), communicator, wrapped)
    call cuboid_redistribute(CUBOID_NONE, x, wrapped)
    call check(all(own(1:size(part, 1), 1:size(part, 2)) == part) .and. own(n + 1, 1) == -1, 'wrapped', wrong)
    call cuboid_matrix_free(wrapped)

    call cuboid_matrix_part(single, singles)
    call check(size(singles) == size(part), 'a part of real(4)', wrong)
    call cuboid_matrix_part(single, part, code)
    call check(code == CUBOID_INVALID_ARGUMENT, 'a pointer of another type is refused', wrong)
    call cuboid_multiply(1.0, CUBOID_NONE, a, CUBOID_NONE, x, 0.0, b, ierror=code)
    call check(code == CUBOID_INVALID_ARGUMENT, 'alpha of another type is refused', wrong)
    call cuboid_matrix_free(a)
    call cuboid_matrix_free(x)
    call cuboid_matrix_free(b)
    call cuboid_matrix_free(single)

  contains

    subroutine difference_is_small()
      real(c_double), pointer :: of_b(:, :), of_x(:, :)
      call cuboid_matrix_part(b, of_b)
      call cuboid_matrix_part(x, of_x)
      call check(all(abs(of_b - of_x) < 1d-9), 'a solution', wrong)
    end subroutine
  end subroutine

  subroutine errors(communicator, ranks, wrong)
    type(cuboid_communicator), intent(in) :: communicator
    integer, intent(in) :: ranks
    integer, intent(inout) :: wrong
    real(c_double) :: array(4, 4), other(16)
    real(c_float) :: single(16)
    integer(c_int) :: code
    array = 0
    call cuboid_broadcast(array(1:3, :), 0, communicator, code)
    call check(code == CUBOID_INVALID_ARGUMENT, 'gaps are refused', wrong)
    call check(index(cuboid_error_message(), 'gaps') > 0, 'the message about gaps', wrong)
    call cuboid_broadcast(array(:, 2:3), ranks, communicator, code)
    call check(code == CUBOID_INVALID_ARGUMENT .and. index(cuboid_error_message(), 'root') > 0, 'a root', wrong)
    call cuboid_allreduce(array, single, CUBOID_SUM, communicator, code)
    call check(code == CUBOID_INVALID_ARGUMENT, 'types that differ are refused', wrong)
    call cuboid_allreduce(array, other(1:15), CUBOID_SUM, communicator, code)
    call check(code == CUBOID_INVALID_ARGUMENT, 'too short an output is refused', wrong)
    call cuboid_allreduce(array, other, CUBOID_SUM, communicator, code)
    call check(code == CUBOID_SUCCESS, 'two shapes of one size', wrong)
  end subroutine

  subroutine everything(communicator, context, code) bind(C)
    type(cuboid_communicator), intent(in) :: communicator
    type(c_ptr), intent(in) :: context
    integer(c_int), intent(out) :: code
    integer(c_int) :: rank, ranks
    code = 0
    if (c_associated(context)) return
    call cuboid_communicator_rank(communicator, rank)
    call cuboid_communicator_size(communicator, ranks)
    call kinds(communicator, rank, ranks, code)
    call blocks(communicator, rank, ranks, code)
    call started_and_planned(communicator, rank, ranks, code)
    call communicators(communicator, rank, ranks, code)
    call matrices(communicator, code)
    call errors(communicator, ranks, code)
  end subroutine
end module
