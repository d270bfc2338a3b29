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
    function cuboid_error_characters(length) bind(C, name="cuboid_fortran_error_message")
      import
      integer(c_size_t), intent(out) :: length
      type(c_ptr) :: cuboid_error_characters
    end function
  end interface

contains

  !> The text of this thread's last error: the rank, the error and the remedy.
  function cuboid_error_message() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: length, i
    type(c_ptr) :: memory
    memory = cuboid_error_characters(length)
    call c_f_pointer(memory, characters, [length])
    allocate(character(length) :: text)
    do i = 1, length
      text(i:i) = characters(i)
    end do
  end function
end module
