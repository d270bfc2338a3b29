!> Matrices over many ranks: products and factorisations.
module cuboid_matrices
  use, intrinsic :: iso_c_binding
  use cuboid_types
  implicit none
  public
  private :: part_of_real32, part_of_real64, part_of_complex32, part_of_complex64

  !> This rank's part, as a pointer to an array of the matrix's type. If the types differ, the
  !> pointer is null and an error is reported.
  interface cuboid_matrix_part
    module procedure part_of_real32, part_of_real64, part_of_complex32, part_of_complex64
  end interface

  interface
    subroutine cuboid_matrix_locate(matrix, wanted, memory, rows, columns, leading, ierror) &
        bind(C, name="cuboid_fortran_matrix_locate")
      import
      type(cuboid_matrix), intent(in) :: matrix
      integer(c_int64_t), intent(in) :: wanted
      type(c_ptr), intent(out) :: memory
      integer(c_int64_t), intent(out) :: rows, columns, leading
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Allocates this rank's part, uninitialised. `type` is CUBOID_FLOAT32, CUBOID_FLOAT64,
    ! CUBOID_COMPLEX64 or CUBOID_COMPLEX128.
    subroutine cuboid_matrix_create(layout, type, communicator, made, ierror) &
        bind(C, name="cuboid_fortran_matrix_create")
      import
      type(cuboid_layout), intent(in) :: layout
      integer(c_int64_t), intent(in) :: type
      type(cuboid_communicator), intent(in) :: communicator
      type(cuboid_matrix), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Makes a matrix around this rank's part, a two-dimensional array that must outlive the matrix.
    ! The part may be a section of whole columns or of their first rows.
    subroutine cuboid_matrix_wrap(layout, part, communicator, made, ierror) &
        bind(C, name="cuboid_fortran_matrix_wrap")
      import
      type(cuboid_layout), intent(in) :: layout
      type(*), dimension(..), asynchronous :: part
      type(cuboid_communicator), intent(in) :: communicator
      type(cuboid_matrix), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_matrix_free(matrix, ierror) &
        bind(C, name="cuboid_fortran_matrix_free")
      import
      type(cuboid_matrix), intent(inout) :: matrix
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_matrix_type(matrix, type, ierror) &
        bind(C, name="cuboid_fortran_matrix_type")
      import
      type(cuboid_matrix), intent(in) :: matrix
      integer(c_int64_t), intent(out) :: type
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Fills the matrix with uniform numbers in [-1, 1) that depend on seed, row and column, but not
    ! on the layout.
    subroutine cuboid_matrix_fill_random(matrix, seed, ierror) &
        bind(C, name="cuboid_fortran_matrix_fill_random")
      import
      type(cuboid_matrix), intent(in) :: matrix
      integer(c_int64_t), intent(in) :: seed
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The row and column, in the whole matrix, of element (i, j) of this rank's part; all count from
    ! 1.
    subroutine cuboid_matrix_global(matrix, i, j, row, column, ierror) &
        bind(C, name="cuboid_fortran_matrix_global")
      import
      type(cuboid_matrix), intent(in) :: matrix
      integer(c_int64_t), intent(in) :: i, j
      integer(c_int64_t), intent(out) :: row, column
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! C = alpha op(A) op(B) + beta C; alpha and beta have the matrices' type. Collective.
    subroutine cuboid_multiply(alpha, op_a, a, op_b, b, beta, c, algorithm, ierror) &
        bind(C, name="cuboid_fortran_multiply")
      import
      type(*), dimension(..), intent(in) :: alpha, beta
      integer(c_int), intent(in) :: op_a, op_b
      type(cuboid_matrix), intent(in) :: a, b, c
      character(kind=c_char, len=*), intent(in), optional :: algorithm
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! destination = op(source); the layouts may differ. Collective.
    subroutine cuboid_redistribute(op, source, destination, ierror) &
        bind(C, name="cuboid_fortran_redistribute")
      import
      integer(c_int), intent(in) :: op
      type(cuboid_matrix), intent(in) :: source, destination
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Plans a product that can run many times. Making and freeing the plan are collective.
    subroutine cuboid_multiplication_create(op_a, a, op_b, b, c, made, algorithm, ierror) &
        bind(C, name="cuboid_fortran_multiplication_create")
      import
      integer(c_int), intent(in) :: op_a, op_b
      type(cuboid_matrix), intent(in) :: a, b, c
      type(cuboid_multiplication), intent(out) :: made
      character(kind=c_char, len=*), intent(in), optional :: algorithm
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_multiplication_run(multiplication, alpha, a, b, beta, c, ierror) &
        bind(C, name="cuboid_fortran_multiplication_run")
      import
      type(cuboid_multiplication), intent(in) :: multiplication
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, b, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_multiplication_free(multiplication, ierror) &
        bind(C, name="cuboid_fortran_multiplication_free")
      import
      type(cuboid_multiplication), intent(inout) :: multiplication
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! P A = L U; A is unchanged. pivoting: CUBOID_PIVOTING_TOURNAMENT, _PARTIAL or _NONE.
    ! Collective.
    subroutine cuboid_factorise(a, pivoting, made, ierror) &
        bind(C, name="cuboid_fortran_factorise")
      import
      type(cuboid_matrix), intent(in) :: a
      integer(c_int), intent(in) :: pivoting
      type(cuboid_factorisation), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! A = L L^H of a positive definite matrix; only the lower triangle is read. Collective.
    subroutine cuboid_cholesky(a, made, ierror) &
        bind(C, name="cuboid_fortran_cholesky")
      import
      type(cuboid_matrix), intent(in) :: a
      type(cuboid_factorisation), intent(out) :: made
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_factorisation_free(factorisation, ierror) &
        bind(C, name="cuboid_fortran_factorisation_free")
      import
      type(cuboid_factorisation), intent(inout) :: factorisation
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! LAPACK's info: 0, or k if the k-th pivot is exactly 0.
    subroutine cuboid_factorisation_info(factorisation, info, ierror) &
        bind(C, name="cuboid_fortran_factorisation_info")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      integer(c_int64_t), intent(out) :: info
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! 1 if the matrix and the diagonal of its factors are free of NaN and infinities, else 0.
    subroutine cuboid_factorisation_is_finite(factorisation, finite, ierror) &
        bind(C, name="cuboid_fortran_factorisation_is_finite")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      integer(c_int), intent(out) :: finite
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! LAPACK's min(m, n) pivots, counted from 1.
    subroutine cuboid_factorisation_pivots(factorisation, pivots, ierror) &
        bind(C, name="cuboid_fortran_factorisation_pivots")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      integer(c_int64_t), intent(inout) :: pivots(*)
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The determinant as sign e^logarithm; the sign has the matrix's type.
    subroutine cuboid_factorisation_determinant(factorisation, sign, logarithm, ierror) &
        bind(C, name="cuboid_fortran_factorisation_determinant")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      type(*), dimension(..) :: sign
      real(c_double), intent(out) :: logarithm
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! Copies the factors into one matrix: L and U as ?getrf returns them; for Cholesky L below the
    ! diagonal and L^H above.
    subroutine cuboid_factorisation_copy(factorisation, factors, ierror) &
        bind(C, name="cuboid_fortran_factorisation_copy")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      type(cuboid_matrix), intent(in) :: factors
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! B = op(A)^-1 B.
    subroutine cuboid_factorisation_solve(factorisation, op, b, ierror) &
        bind(C, name="cuboid_fortran_factorisation_solve")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      integer(c_int), intent(in) :: op
      type(cuboid_matrix), intent(in) :: b
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! An estimate of 1 / (|A| |A^-1|) in the 1-norm.
    subroutine cuboid_factorisation_reciprocal_condition(factorisation, reciprocal, ierror) &
        bind(C, name="cuboid_fortran_factorisation_reciprocal_condition")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      real(c_double), intent(out) :: reciprocal
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The same in the norm CUBOID_NORM_ONE or CUBOID_NORM_INFINITY.
    subroutine cuboid_factorisation_reciprocal_condition_in_norm(factorisation, kind, reciprocal, ierror) &
        bind(C, name="cuboid_fortran_factorisation_reciprocal_condition_in_norm")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      integer(c_int), intent(in) :: kind
      real(c_double), intent(out) :: reciprocal
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! X = A^-1 for a square X.
    subroutine cuboid_factorisation_inverse(factorisation, x, ierror) &
        bind(C, name="cuboid_fortran_factorisation_inverse")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      type(cuboid_matrix), intent(in) :: x
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! B = A^-1 B to double precision by factors in single precision; matrix_class:
    ! CUBOID_GENERAL or CUBOID_POSITIVE_DEFINITE. method says how: CUBOID_MIXED_REFINEMENT,
    ! _GMRES or _FULL_PRECISION. Collective.
    subroutine cuboid_solve_mixed(a, b, matrix_class, method, steps, ierror) &
        bind(C, name="cuboid_fortran_solve_mixed")
      import
      type(cuboid_matrix), intent(in) :: a
      type(cuboid_matrix), intent(in) :: b
      integer(c_int), intent(in) :: matrix_class
      integer(c_int), intent(out), optional :: method
      integer(c_int), intent(out), optional :: steps
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! A norm of A, kind: CUBOID_NORM_ONE, _INFINITY, _FROBENIUS or _MAXIMUM. Collective.
    subroutine cuboid_norm(kind, a, norm, ierror) &
        bind(C, name="cuboid_fortran_norm")
      import
      integer(c_int), intent(in) :: kind
      type(cuboid_matrix), intent(in) :: a
      real(c_double), intent(out) :: norm
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! B = A^-1 B, by factorisation and solution.
    subroutine cuboid_solve(a, b, ierror) &
        bind(C, name="cuboid_fortran_solve")
      import
      type(cuboid_matrix), intent(in) :: a, b
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! X = X + A^-1 (B - A X), `steps` times.
    subroutine cuboid_refine(factorisation, a, b, x, steps, ierror) &
        bind(C, name="cuboid_fortran_refine")
      import
      type(cuboid_factorisation), intent(in) :: factorisation
      type(cuboid_matrix), intent(in) :: a, b, x
      integer(c_int), intent(in) :: steps
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! A = Q R of any m by n matrix; A is unchanged. Collective.
    subroutine cuboid_qr(a, qr, ierror) &
        bind(C, name="cuboid_fortran_qr")
      import
      type(cuboid_matrix), intent(in) :: a
      type(cuboid_qr_factorisation), intent(out) :: qr
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    subroutine cuboid_qr_free(qr, ierror) &
        bind(C, name="cuboid_fortran_qr_free")
      import
      type(cuboid_qr_factorisation), intent(inout) :: qr
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! 0, or k if the k-th element of R's diagonal is the first that is exactly 0.
    subroutine cuboid_qr_info(qr, info, ierror) &
        bind(C, name="cuboid_fortran_qr_info")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      integer(c_int64_t), intent(out) :: info
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! 1 if the matrix and R's diagonal are free of NaN and infinities, else 0.
    subroutine cuboid_qr_is_finite(qr, finite, ierror) &
        bind(C, name="cuboid_fortran_qr_is_finite")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      integer(c_int), intent(out) :: finite
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! LAPACK's TAU, min(m, n) elements of the matrix's type.
    subroutine cuboid_qr_taus(qr, taus, ierror) &
        bind(C, name="cuboid_fortran_qr_taus")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      type(*), dimension(..) :: taus
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! R and the reflectors in one matrix, as ?geqrf returns them.
    subroutine cuboid_qr_copy(qr, factors, ierror) &
        bind(C, name="cuboid_fortran_qr_copy")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      type(cuboid_matrix), intent(in) :: factors
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The first columns of Q, as many as the matrix has, at most m.
    subroutine cuboid_qr_copy_q(qr, q, ierror) &
        bind(C, name="cuboid_fortran_qr_copy_q")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      type(cuboid_matrix), intent(in) :: q
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! R, min(m, n) by n, with zeros below its diagonal.
    subroutine cuboid_qr_copy_r(qr, r, ierror) &
        bind(C, name="cuboid_fortran_qr_copy_r")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      type(cuboid_matrix), intent(in) :: r
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! C = op(Q) C, or C op(Q) (CUBOID_RIGHT).
    subroutine cuboid_qr_apply(qr, op, side, c, ierror) &
        bind(C, name="cuboid_fortran_qr_apply")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      integer(c_int), intent(in) :: op, side
      type(cuboid_matrix), intent(in) :: c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The X that minimises the 2-norms of A X - B, m >= n; B is unchanged.
    subroutine cuboid_qr_least_squares(qr, b, x, ierror) &
        bind(C, name="cuboid_fortran_qr_least_squares")
      import
      type(cuboid_qr_factorisation), intent(in) :: qr
      type(cuboid_matrix), intent(in) :: b, x
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The same by factorising A; for m < n the X of least norm with A X = B.
    subroutine cuboid_least_squares(a, b, x, ierror) &
        bind(C, name="cuboid_fortran_least_squares")
      import
      type(cuboid_matrix), intent(in) :: a, b, x
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! B = alpha op(A)^-1 B, or alpha B op(A)^-1, for a triangle of A.
    subroutine cuboid_trsm(side, triangle, op, diagonal, alpha, a, b, ierror) &
        bind(C, name="cuboid_fortran_trsm")
      import
      integer(c_int), intent(in) :: side, triangle, op, diagonal
      type(*), dimension(..), intent(in) :: alpha
      type(cuboid_matrix), intent(in) :: a, b
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! A(i, i) = diagonal, all others off_diagonal, in a triangle or, with CUBOID_WHOLE, in all of A.
    ! Not collective.
    subroutine cuboid_laset(triangle, off_diagonal, diagonal, a, ierror) &
        bind(C, name="cuboid_fortran_laset")
      import
      integer(c_int), intent(in) :: triangle
      type(*), dimension(..), intent(in) :: off_diagonal, diagonal
      type(cuboid_matrix), intent(in) :: a
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! B = A, of a triangle or, with CUBOID_WHOLE, all of it.
    subroutine cuboid_lacpy(triangle, a, b, ierror) &
        bind(C, name="cuboid_fortran_lacpy")
      import
      integer(c_int), intent(in) :: triangle
      type(cuboid_matrix), intent(in) :: a, b
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! A = A factor / divisor, without overflow in between, likewise. Not collective.
    subroutine cuboid_lascl(triangle, divisor, factor, a, ierror) &
        bind(C, name="cuboid_fortran_lascl")
      import
      integer(c_int), intent(in) :: triangle
      real(c_double), intent(in) :: divisor, factor
      type(cuboid_matrix), intent(in) :: a
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! A = A^-1 for a triangle of A.
    subroutine cuboid_trtri(triangle, diagonal, a, ierror) &
        bind(C, name="cuboid_fortran_trtri")
      import
      integer(c_int), intent(in) :: triangle, diagonal
      type(cuboid_matrix), intent(in) :: a
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! C = alpha A A^T + beta C, or with CUBOID_TRANSPOSE alpha A^T A + beta C, in one triangle of C.
    subroutine cuboid_syrk(triangle, op, alpha, a, beta, c, ierror) &
        bind(C, name="cuboid_fortran_syrk")
      import
      integer(c_int), intent(in) :: triangle, op
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The same with A^H, for a Hermitian C; the imaginary parts of alpha and beta are left aside.
    subroutine cuboid_herk(triangle, op, alpha, a, beta, c, ierror) &
        bind(C, name="cuboid_fortran_herk")
      import
      integer(c_int), intent(in) :: triangle, op
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! C = alpha (A B^T + B A^T) + beta C, or with CUBOID_TRANSPOSE alpha (A^T B + B^T A) + beta C.
    subroutine cuboid_syr2k(triangle, op, alpha, a, b, beta, c, ierror) &
        bind(C, name="cuboid_fortran_syr2k")
      import
      integer(c_int), intent(in) :: triangle, op
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, b, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! C = alpha A B^H + conjg(alpha) B A^H + beta C, or likewise with CUBOID_CONJUGATE_TRANSPOSE.
    subroutine cuboid_her2k(triangle, op, alpha, a, b, beta, c, ierror) &
        bind(C, name="cuboid_fortran_her2k")
      import
      integer(c_int), intent(in) :: triangle, op
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, b, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! C = alpha A B + beta C, or alpha B A + beta C, for a symmetric A of which one triangle is read.
    subroutine cuboid_symm(side, triangle, alpha, a, b, beta, c, ierror) &
        bind(C, name="cuboid_fortran_symm")
      import
      integer(c_int), intent(in) :: side, triangle
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, b, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! The same for a Hermitian A.
    subroutine cuboid_hemm(side, triangle, alpha, a, b, beta, c, ierror) &
        bind(C, name="cuboid_fortran_hemm")
      import
      integer(c_int), intent(in) :: side, triangle
      type(*), dimension(..), intent(in) :: alpha, beta
      type(cuboid_matrix), intent(in) :: a, b, c
      integer(c_int), intent(out), optional :: ierror
    end subroutine

    ! B = alpha op(A) B, or alpha B op(A), for a triangle of A.
    subroutine cuboid_trmm(side, triangle, op, diagonal, alpha, a, b, ierror) &
        bind(C, name="cuboid_fortran_trmm")
      import
      integer(c_int), intent(in) :: side, triangle, op, diagonal
      type(*), dimension(..), intent(in) :: alpha
      type(cuboid_matrix), intent(in) :: a, b
      integer(c_int), intent(out), optional :: ierror
    end subroutine
  end interface

contains

  subroutine part_of_real32(matrix, part, ierror)
    type(cuboid_matrix), intent(in) :: matrix
    real(c_float), pointer, intent(out) :: part(:, :)
    integer(c_int), intent(out), optional :: ierror
    real(c_float), pointer :: whole(:, :)
    type(c_ptr) :: memory
    integer(c_int64_t) :: rows, columns, leading
    part => null()
    call cuboid_matrix_locate(matrix, CUBOID_FLOAT32, memory, rows, columns, leading, ierror)
    if (.not. c_associated(memory)) return
    call c_f_pointer(memory, whole, [leading, columns])
    part => whole(1:rows, :)
  end subroutine

  subroutine part_of_real64(matrix, part, ierror)
    type(cuboid_matrix), intent(in) :: matrix
    real(c_double), pointer, intent(out) :: part(:, :)
    integer(c_int), intent(out), optional :: ierror
    real(c_double), pointer :: whole(:, :)
    type(c_ptr) :: memory
    integer(c_int64_t) :: rows, columns, leading
    part => null()
    call cuboid_matrix_locate(matrix, CUBOID_FLOAT64, memory, rows, columns, leading, ierror)
    if (.not. c_associated(memory)) return
    call c_f_pointer(memory, whole, [leading, columns])
    part => whole(1:rows, :)
  end subroutine

  subroutine part_of_complex32(matrix, part, ierror)
    type(cuboid_matrix), intent(in) :: matrix
    complex(c_float_complex), pointer, intent(out) :: part(:, :)
    integer(c_int), intent(out), optional :: ierror
    complex(c_float_complex), pointer :: whole(:, :)
    type(c_ptr) :: memory
    integer(c_int64_t) :: rows, columns, leading
    part => null()
    call cuboid_matrix_locate(matrix, CUBOID_COMPLEX64, memory, rows, columns, leading, ierror)
    if (.not. c_associated(memory)) return
    call c_f_pointer(memory, whole, [leading, columns])
    part => whole(1:rows, :)
  end subroutine

  subroutine part_of_complex64(matrix, part, ierror)
    type(cuboid_matrix), intent(in) :: matrix
    complex(c_double_complex), pointer, intent(out) :: part(:, :)
    integer(c_int), intent(out), optional :: ierror
    complex(c_double_complex), pointer :: whole(:, :)
    type(c_ptr) :: memory
    integer(c_int64_t) :: rows, columns, leading
    part => null()
    call cuboid_matrix_locate(matrix, CUBOID_COMPLEX128, memory, rows, columns, leading, ierror)
    if (.not. c_associated(memory)) return
    call c_f_pointer(memory, whole, [leading, columns])
    part => whole(1:rows, :)
  end subroutine
end module
