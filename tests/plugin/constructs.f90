! Worksharing loops of Fortran: modules, allocatables, contained procedures, collapse, do while.
module state
  implicit none
  integer, parameter :: n = 1000
  integer :: counter = 0
  real(8), allocatable :: field(:, :)
  !$omp threadprivate(counter)
contains
  subroutine fill(m)
    integer, intent(in) :: m
    integer :: i, j
    if (allocated(field)) deallocate (field)
    allocate (field(m, m))
    !$omp parallel do
    do j = 1, m
      do i = 1, m
        field(i, j) = i + 2 * j
      end do
    end do
    !$omp end parallel do
  end subroutine

  pure function work(i) result(r)
    integer, intent(in) :: i
    integer(8) :: r
    r = int(i, 8) * i
  end function

  subroutine row_sums(row, col, val, sums)
    integer, intent(in) :: row(:), col(:)
    real(8), intent(in) :: val(:)
    real(8), intent(out) :: sums(:)
    integer :: i, k
    real(8) :: s
    !$omp parallel do private(s, k)
    do i = 1, size(row) - 1
      s = 0
      do k = row(i), row(i + 1) - 1
        s = s + val(k) * col(k)
      end do
      sums(i) = s
    end do
  end subroutine
end module

program constructs
  use state
  implicit none
  integer :: i, j, k, last, first
  integer(8) :: s, t
  integer :: a(n), b(n), c(n), row(101), col(2000)
  real(8) :: val(2000), sums(100)
  logical :: all_true

  !$omp parallel do
  do i = 1, n
    a(i) = i
  end do
  print *, 'plain', sum(a)

  !$omp parallel do schedule(static)
  do i = n, 1, -3
    a(i) = a(i) + 1
  end do
  print *, 'static down', sum(a)

  s = 0
  !$omp parallel do reduction(+:s) schedule(auto)
  do i = -5, 200, 7
    s = s + work(i)
  end do
  print *, 'auto', s

  s = 0
  !$omp parallel do reduction(+:s)
  do i = 10, 1
    s = s + 1
  end do
  print *, 'empty', s

  call fill(60)
  print *, 'module', int(sum(field))

  s = 0; last = 0
  !$omp parallel do collapse(2) reduction(+:s) lastprivate(last)
  do j = 1, 30
    do i = 1, 20
      s = s + i * j
      last = 100 * j + i
    end do
  end do
  print *, 'collapse', s, last

  first = 3
  !$omp parallel do firstprivate(first) lastprivate(i, last)
  do i = 1, n
    last = first + i
  end do
  print *, 'lastprivate', i, last

  all_true = .true.
  !$omp parallel do reduction(.and.:all_true)
  do i = 1, n
    all_true = all_true .and. a(i) > 0
  end do
  print *, 'logical', all_true

  !$omp parallel private(k)
  !$omp do
  do i = 1, n
    b(i) = a(i) * 2
  end do
  !$omp end do nowait
  !$omp do schedule(dynamic, 5)
  do i = 1, n
    c(i) = i
  end do
  !$omp end do
  !$omp workshare
  b = b + c
  !$omp end workshare
  !$omp single
  k = 1
  b(1) = b(1) + k
  !$omp end single
  !$omp do simd
  do i = 1, n
    b(i) = b(i) + 1
  end do
  !$omp end parallel
  print *, 'region', sum(b)

  !$omp parallel do ordered
  do i = 1, 20
    !$omp ordered
    b(1) = b(1) * 2 - b(1) + i
    !$omp end ordered
  end do
  print *, 'ordered', b(1)

  counter = 0
  s = 0
  !$omp parallel copyin(counter)
  !$omp do
  do i = 1, n
    counter = counter + 1
  end do
  !$omp end do
  !$omp atomic
  s = s + counter
  !$omp end parallel
  print *, 'threadprivate', s

  s = 0
  call contained(s)
  print *, 'contained', s

  row(1) = 1
  do i = 1, 100
    row(i + 1) = row(i) + mod(i, 20)
  end do
  col = [(mod(i, 17), i = 1, 2000)]
  val = 2
  call row_sums(row, col, val, sums)
  print *, 'rows', int(sum(sums))

  t = 0
  !$omp parallel do reduction(+:t) default(none) shared(field) private(j)
  do i = 1, 60
    j = 1
    do while (j <= i)
      t = t + int(field(j, i))
      j = j + 1
    end do
  end do
  print *, 'do while', t

  t = 0
  !$omp parallel do reduction(+:t)
  do i = 1, 30
    do j = i, 30
      t = t + i * j
    end do
  end do
  print *, 'triangle', t

contains
  subroutine contained(total)
    integer(8), intent(inout) :: total
    integer(8) :: m
    !$omp parallel do reduction(+:total)
    do m = 1_8, 5000000000000_8, 5000000000_8
      total = total + mod(m, 7_8)
    end do
  end subroutine
end program
