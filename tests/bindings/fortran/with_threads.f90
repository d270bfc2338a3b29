!> Ranks are threads of this process.
program with_threads
  use checks
  implicit none
  integer :: i
  integer, parameter :: sizes(5) = [1, 2, 3, 5, 8]
  integer(c_int) :: code, wrong
  wrong = 0
  do i = 1, size(sizes)
    call cuboid_run_ranks(sizes(i), everything, c_null_ptr, code)
    call check(code == CUBOID_SUCCESS, 'all of it', wrong)
  end do
  if (wrong > 0) error stop 1
end program
