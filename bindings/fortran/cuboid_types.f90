!> Handles, types, operations and codes.
module cuboid_types
  use, intrinsic :: iso_c_binding
  implicit none
  public

  !> Handles, which are opaque. A handle of 0 is none.
  type, bind(C) :: cuboid_communicator
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_request
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_plan
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_reduction
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_neighbourhood
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_window
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_matrix
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_multiplication
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_factorisation
    integer(c_intptr_t) :: handle = 0
  end type
  type, bind(C) :: cuboid_qr_factorisation
    integer(c_intptr_t) :: handle = 0
  end type

  !> An m by n matrix in blocks that are distributed cyclically over a process grid, as in
  !> ScaLAPACK.
  type, bind(C) :: cuboid_layout
    integer(c_int64_t) :: m = 0
    integer(c_int64_t) :: n = 0
    integer(c_int64_t) :: row_block = 0     !< 0: one block per rank
    integer(c_int64_t) :: column_block = 0
    integer(c_int) :: grid_rows = 0         !< 0: Cuboid chooses the grid for the number of ranks
    integer(c_int) :: grid_columns = 0
    integer(c_int) :: first_row = 0         !< the place of the first block on the grid
    integer(c_int) :: first_column = 0
    type(c_ptr) :: ranks = c_null_ptr       !< the rank at each place of the grid, row by row; null: 0, 1, 2, ...
  end type

  type, bind(C) :: cuboid_traffic
    integer(c_int64_t) :: bytes_sent = 0
    integer(c_int64_t) :: bytes_received = 0
    integer(c_int64_t) :: messages_sent = 0
    integer(c_int64_t) :: messages_received = 0
  end type

  type(cuboid_reduction), parameter :: &
    CUBOID_SUM = cuboid_reduction(1), CUBOID_PRODUCT = cuboid_reduction(2), &
    CUBOID_MINIMUM = cuboid_reduction(3), CUBOID_MAXIMUM = cuboid_reduction(4), &
    CUBOID_LOGICAL_AND = cuboid_reduction(5), CUBOID_LOGICAL_OR = cuboid_reduction(6), &
    CUBOID_LOGICAL_XOR = cuboid_reduction(7), CUBOID_BITWISE_AND = cuboid_reduction(8), &
    CUBOID_BITWISE_OR = cuboid_reduction(9), CUBOID_BITWISE_XOR = cuboid_reduction(10), &
    CUBOID_MINIMUM_LOCATION = cuboid_reduction(11), & !< of arrays (2, n): values and their indices
    CUBOID_MAXIMUM_LOCATION = cuboid_reduction(12), &
    CUBOID_AVERAGE = cuboid_reduction(13)

  !> Marks the buffer that already contains this rank's contribution.
  integer(c_int), bind(C, name="cuboid_fortran_in_place") :: CUBOID_IN_PLACE

  integer(c_int), parameter :: CUBOID_SUCCESS = 0, CUBOID_INVALID_ARGUMENT = 1, CUBOID_MISMATCH = 2, &
    CUBOID_TIMEOUT = 3, CUBOID_PEER_FAILED = 4, CUBOID_OUT_OF_MEMORY = 5, CUBOID_IO = 6, CUBOID_PARSE = 7, &
    CUBOID_UNSUPPORTED = 8, CUBOID_INTERNAL = 9
  integer(c_int64_t), parameter :: CUBOID_FLOAT32 = -10, CUBOID_FLOAT64 = -11, CUBOID_COMPLEX64 = -12, &
    CUBOID_COMPLEX128 = -13
  integer(c_int), parameter :: CUBOID_NONE = 0, CUBOID_TRANSPOSE = 1, CUBOID_CONJUGATE_TRANSPOSE = 2
  integer(c_int), parameter :: CUBOID_GENERAL = 0, CUBOID_POSITIVE_DEFINITE = 1
  integer(c_int), parameter :: CUBOID_MIXED_REFINEMENT = 0, CUBOID_MIXED_GMRES = 1, CUBOID_MIXED_FULL_PRECISION = 2
  integer(c_int), parameter :: CUBOID_NORM_ONE = 0, CUBOID_NORM_INFINITY = 1, CUBOID_NORM_FROBENIUS = 2, &
    CUBOID_NORM_MAXIMUM = 3
  integer(c_int), parameter :: CUBOID_PIVOTING_TOURNAMENT = 0, CUBOID_PIVOTING_PARTIAL = 1, CUBOID_PIVOTING_NONE = 2
  integer(c_int), parameter :: CUBOID_LEFT = 0, CUBOID_RIGHT = 1, CUBOID_LOWER = 0, CUBOID_UPPER = 1, &
    CUBOID_WHOLE = 2, CUBOID_STORED_DIAGONAL = 0, CUBOID_UNIT_DIAGONAL = 1
  integer(c_int), parameter :: CUBOID_NOBODY = -1, CUBOID_MAX_DIMENSIONS = 8
end module
