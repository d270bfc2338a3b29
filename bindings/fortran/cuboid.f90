!> Cuboid from Fortran: collectives and matrices that know the network. docs/fortran.md has examples.
module cuboid
  use, intrinsic :: iso_c_binding
  use cuboid_types
  use cuboid_communicators
  use cuboid_collectives
  use cuboid_matrices
  implicit none
  public

  interface
    pure function cuboid_error_length() bind(C, name="cuboid_fortran_error_length")
      import
      integer(c_size_t) :: cuboid_error_length
    end function
    function cuboid_error_characters() bind(C, name="cuboid_fortran_error_message")
      import
      type(c_ptr) :: cuboid_error_characters
    end function
  end interface

contains

  !> The text of this thread's last error: the rank, the error and the remedy.
  ! The length is no deferred one: the caller's memory for that is shared by threads in gfortran.
  function cuboid_error_message() result(text)
    character(cuboid_error_length()) :: text
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: i
    call c_f_pointer(cuboid_error_characters(), characters, [len(text, c_size_t)])
    do i = 1, len(text, c_size_t)
      text(i:i) = characters(i)
    end do
  end function
end module
