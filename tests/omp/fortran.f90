! The functions as gfortran calls them.
program fortran
  use omp_lib
  implicit none
  integer :: failures = 0

  call threads_and_regions
  call schedules
  call locks
  call affinity
  call memory
  if (failures /= 0) stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (0, *) 'wrong: ', what
    !$omp atomic
    failures = failures + 1
  end subroutine

  subroutine threads_and_regions
    integer :: sum
    call check(omp_get_num_threads() == 1, 'threads outside')
    call check(.not. omp_in_parallel(), 'in_parallel outside')
    call omp_set_num_threads(3)
    call check(omp_get_max_threads() == 3, 'max_threads')
    call omp_set_num_threads(4_8)
    call check(omp_get_max_threads() == 4, 'max_threads, 8 bytes')
    call omp_set_dynamic(.true.)
    call check(omp_get_dynamic(), 'dynamic')
    call omp_set_dynamic(.false._8)
    call check(.not. omp_get_dynamic(), 'dynamic, 8 bytes')
    call omp_set_max_active_levels(2)
    call check(omp_get_max_active_levels() == 2, 'max_active_levels')
    call check(omp_get_nested(), 'nested')
    sum = 0
    !$omp parallel reduction(+ : sum)
    call check(omp_get_num_threads() == 4, 'threads inside')
    call check(omp_get_level() == 1, 'level')
    call check(omp_get_ancestor_thread_num(1) == omp_get_thread_num(), 'ancestor')
    call check(omp_get_team_size(1_8) == 4, 'team_size, 8 bytes')
    sum = sum + omp_get_thread_num()
    !$omp end parallel
    call check(sum == 6, 'thread numbers')
    call check(omp_get_wtime() > 0, 'wtime')
    call check(omp_get_wtick() > 0, 'wtick')
    call check(omp_get_num_procs() >= 1, 'num_procs')
    call check(omp_is_initial_device(), 'initial device')
    call check(omp_get_num_devices() == 0, 'num_devices')
    call omp_set_num_teams(3)
    call check(omp_get_max_teams() == 3, 'max_teams')
    call check(omp_pause_resource_all(omp_pause_soft) == 0, 'pause')
  end subroutine

  subroutine schedules
    integer(omp_sched_kind) :: kind
    integer :: chunk, i, sum
    call omp_get_schedule(kind, chunk)
    call check(kind == omp_sched_dynamic .and. chunk == 1, 'schedule at first')
    call omp_set_schedule(omp_sched_guided, 7)
    call omp_get_schedule(kind, chunk)
    call check(kind == omp_sched_guided .and. chunk == 7, 'schedule set')
    sum = 0
    !$omp parallel do schedule(runtime) reduction(+ : sum)
    do i = 1, 1000
      sum = sum + i
    end do
    call check(sum == 500500, 'loop')
  end subroutine

  subroutine locks
    integer(omp_lock_kind) :: lock
    integer(omp_nest_lock_kind) :: nest
    integer :: i, total, nested
    total = 0
    nested = 0
    call omp_init_lock(lock)
    call omp_init_nest_lock(nest)
    !$omp parallel do
    do i = 1, 10000
      call omp_set_lock(lock)
      total = total + 1
      call omp_unset_lock(lock)
      call omp_set_nest_lock(nest)
      if (omp_test_nest_lock(nest) == 2) nested = nested + 1
      call omp_unset_nest_lock(nest)
      call omp_unset_nest_lock(nest)
    end do
    call check(total == 10000, 'lock')
    call check(nested == 10000, 'nestable lock')
    call check(omp_test_lock(lock), 'free lock')
    call check(.not. omp_test_lock(lock), 'held lock')
    call omp_unset_lock(lock)
    call omp_destroy_lock(lock)
    call omp_destroy_nest_lock(nest)
  end subroutine

  subroutine affinity
    character(12) :: text
    character(3) :: short
    integer :: length
    call omp_set_affinity_format('T%0.3n')
    length = omp_get_affinity_format(text)
    call check(length == 6 .and. text == 'T%0.3n', 'format')
    length = omp_capture_affinity(text, '%n of %N')
    call check(length == 6 .and. text == '0 of 1', 'capture')
    length = omp_capture_affinity(short, '')
    call check(length == 4 .and. short == 'T00', 'capture cut')
    call check(omp_get_proc_bind() == omp_proc_bind_false, 'proc_bind')
    call check(omp_get_num_places() == 0, 'num_places')
  end subroutine

  subroutine memory
    integer(omp_allocator_handle_kind) :: allocator
    type(omp_alloctrait) :: traits(1)
    traits(1)%key = omp_atk_alignment
    traits(1)%value = 64
    allocator = omp_init_allocator(omp_default_mem_space, 1, traits)
    call check(allocator /= omp_null_allocator, 'init_allocator')
    call omp_set_default_allocator(allocator)
    call check(omp_get_default_allocator() == allocator, 'default allocator')
    call omp_set_default_allocator(omp_default_mem_alloc)
    call omp_destroy_allocator(allocator)
  end subroutine

end program
