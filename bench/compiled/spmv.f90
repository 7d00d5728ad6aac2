! The sparse matrix of spmv.c, in Fortran.
module sparse
  implicit none
contains
  subroutine multiply(rows, start, column, val, x, y)
    integer, intent(in) :: rows
    integer, intent(in) :: start(rows + 1), column(:)
    real(8), intent(in) :: val(:), x(rows)
    real(8), intent(out) :: y(rows)
    integer :: i, j
    real(8) :: total
    !$omp parallel do private(j, total)
    do i = 1, rows
      total = 0
      do j = start(i), start(i + 1) - 1
        total = total + val(j) * x(column(j))
      end do
      y(i) = total
    end do
  end subroutine
end module

program spmv
  use sparse
  use omp_lib
  implicit none
  integer, parameter :: rows = 200000
  integer, allocatable :: start(:), column(:)
  real(8), allocatable :: val(:), x(:), y(:), times(:)
  integer(8) :: random
  integer :: products, i, j, p
  real(8) :: began, held
  character(len=20) :: argument

  products = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) products
  end if
  allocate (start(rows + 1), x(rows), y(rows), times(products))
  start(1) = 1
  do i = 1, rows
    start(i + 1) = start(i) + 1 + int(48d6 * (i - 1 + 1000)**(-1.5d0))
  end do
  allocate (column(start(rows + 1) - 1), val(start(rows + 1) - 1))
  random = 1
  do j = 1, size(column)
    random = iand(random * 1664525_8 + 1013904223_8, 4294967295_8)
    column(j) = 1 + int(shiftr(random * rows, 32))
    val(j) = 0.5d0
  end do
  do i = 1, rows
    x(i) = mod(i - 1, 8)
  end do
  do p = 1, products
    began = omp_get_wtime()
    call multiply(rows, start, column, val, x, y)
    times(p) = omp_get_wtime() - began
  end do
  do p = 2, products
    held = times(p)
    j = p - 1
    do while (j >= 1)
      if (times(j) <= held) exit
      times(j + 1) = times(j)
      j = j - 1
    end do
    times(j + 1) = held
  end do
  print '(i0, 1x, f0.1)', nint(times(products / 2 + 1) * 1d9), sum(y)
end program
