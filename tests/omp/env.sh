#!/bin/sh
# OMP_* variables: a bad value warns, naming itself, and the program runs; a good
# one does what it says, without a word.
#   env.sh VARIABLE=LIBRARY PROGRAM
set -eu
on_doall=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

for name in $(env | sed -n -e 's/^\(OMP_[A-Z_]*\)=.*/\1/p' -e 's/^\(DOALL_[A-Z_]*\)=.*/\1/p'); do
  unset "$name"
done

run() { # VARIABLE=value...
  env "$on_doall" "$@" "$program" >"$folder/out" 2>"$folder/err"
}

wrong() {
  echo "wrong: $1"
  sed 's/^/  /' "$folder/out" "$folder/err"
  failures=$((failures + 1))
}

bad() { # VARIABLE value
  run "$1=$2" || wrong "$1=$2 ended the program with status $?"
  grep -q "^doall: $1=\"$2\" is ignored: .*; ." "$folder/err" || wrong "$1=$2 was not named in a warning"
}

good() { # expected VARIABLE=value...
  expected=$1
  shift
  run "$@" || wrong "$* ended the program with status $?"
  grep -q "^doall:" "$folder/err" && wrong "$* got a warning"
  grep -q -e "$expected" "$folder/out" "$folder/err" || wrong "$* did not give \"$expected\""
}

for value in 0 -1 x 99999999999999999999999 '' 4,0 4,x 4,2, 4,; do bad OMP_NUM_THREADS "$value"; done
for value in x 1 yes ''; do
  bad OMP_DYNAMIC "$value"
  bad OMP_NESTED "$value"
  bad OMP_CANCELLATION "$value"
  bad OMP_DISPLAY_AFFINITY "$value"
  bad OMP_DISPLAY_ENV "$value"
done
for value in -1 x 99999999999 ''; do
  bad OMP_MAX_ACTIVE_LEVELS "$value"
  bad OMP_THREAD_LIMIT "$value"
  bad OMP_DEFAULT_DEVICE "$value"
  bad OMP_MAX_TASK_PRIORITY "$value"
  bad OMP_NUM_TEAMS "$value"
  bad OMP_TEAMS_THREAD_LIMIT "$value"
done
for value in dynamik static,-1 guided,x slow:dynamic monotonic: auto,x ''; do
  bad OMP_SCHEDULE "$value"
done
bad OMP_PROC_BIND near
bad OMP_PROC_BIND spread,
bad OMP_PLACES '{0}:2:-9223372036854775808'
bad OMP_PROC_BIND true,close
bad OMP_STACKSIZE 12Q
bad OMP_STACKSIZE -5
bad OMP_STACKSIZE 1
bad OMP_STACKSIZE bb
bad OMP_NUM_THREADS 3,
bad OMP_NUM_THREADS 3,x
bad OMP_WAIT_POLICY sometimes
bad OMP_ALLOCATOR malloc
bad OMP_ALLOCATOR omp_default_mem_space:
bad OMP_ALLOCATOR omp_default_mem_space:alignment=3
bad OMP_ALLOCATOR omp_default_mem_space:colour=red
bad OMP_ALLOCATOR omp_default_mem_alloc:pinned=true
for value in '{' '{0' core 'cores(0)' '{0:0}' 'cores,{0}' '{9999}' ''; do bad OMP_PLACES "$value"; done
for value in x 3-1 0-5:0 -1 ''; do bad GOMP_CPU_AFFINITY "$value"; done
bad GOMP_STACKSIZE 12Q
for value in x -1 5Q ''; do bad GOMP_SPINCOUNT "$value"; done
bad OMP_TARGET_OFFLOAD sometimes

# One that does something else than it says: what, stands behind the last semicolon.
instead() { # expected warning VARIABLE=value...
  expected=$1
  warning=$2
  shift 2
  run "$@" || wrong "$* ended the program with status $?"
  grep -q -F -e "$warning" "$folder/err" || wrong "$* did not get the warning \"$warning\""
  grep -q -e "$expected" "$folder/out" || wrong "$* did not give \"$expected\""
}
many='expected a whole number from 1 to 1024; 1024 is used'
instead 'threads=1024 ' "OMP_NUM_THREADS=\"1025\" is too large: $many" OMP_NUM_THREADS=1025
instead 'threads=3 ' "OMP_NUM_THREADS=\"3,2000\" is too large: $many" OMP_NUM_THREADS=3,2000
instead 'bind=1 places=1' '"{0},{8190}": {8190} is left out: expected' 'OMP_PLACES={0},{8190}'
bad KMP_STACKSIZE 12Q

good 'threads=3 schedule=0x2,1 dynamic=0 nested=0 levels=1 limit=2147483647 device=0' \
  OMP_NUM_THREADS=3
good 'threads=3 .* nested=1 levels=255' 'OMP_NUM_THREADS= 3 , 2 '
good 'threads=2 .* limit=2 ' OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=2
good 'dynamic=1 nested=1 levels=255' OMP_DYNAMIC=TRUE OMP_NESTED=true
good 'nested=0 levels=1' OMP_NESTED=true OMP_MAX_ACTIVE_LEVELS=1
good 'levels=255' OMP_MAX_ACTIVE_LEVELS=1000
good 'schedule=0x80000001,0' OMP_SCHEDULE=static
good 'schedule=0x80000001,0' 'OMP_SCHEDULE=static, 0'
good 'schedule=0x3,1' OMP_SCHEDULE=guided,0
good 'schedule=0x2,1' OMP_SCHEDULE=dynamic,0
good 'schedule=0x4,1' OMP_SCHEDULE=auto,3
good 'schedule=0x1,8' 'OMP_SCHEDULE= NonMonotonic : Static , 8 '
good 'schedule=0x80000003,5' OMP_SCHEDULE=monotonic:guided,5
good 'schedule=0x3,1' OMP_SCHEDULE=guided,k=2
good 'schedule=0x4,1' OMP_SCHEDULE=auto
good 'threads=3 ' OMP_NUM_THREADS_ALL=3
good 'threads=2 ' OMP_NUM_THREADS_ALL=3 OMP_NUM_THREADS=2
good 'dynamic=1 nested=1 levels=4 limit=9 device=2' OMP_DYNAMIC_ALL=true OMP_MAX_ACTIVE_LEVELS_ALL=4 \
  OMP_THREAD_LIMIT_ALL=9 OMP_DEFAULT_DEVICE_ALL=2
good 'schedule=0x3,7' OMP_SCHEDULE_ALL=guided,7
good 'teams=5 teams_limit=6' OMP_NUM_TEAMS_ALL=5 OMP_TEAMS_THREAD_LIMIT_ALL=6
good 'bind=3 ' OMP_PROC_BIND_ALL=close
good 'cancellation=0' OMP_CANCELLATION_ALL=true
good 'nested=0 levels=1' OMP_NUM_THREADS=2,2 OMP_NESTED=false
good 'threads=1 ' OMP_NUM_THREADS=4 KMP_LIBRARY=serial
good 'threads=4 ' OMP_NUM_THREADS=4 KMP_LIBRARY=turnaround
good 'schedule=0x646c0003,0' OMP_SCHEDULE=trapezoid
good 'schedule=0x646c0004,3' OMP_SCHEDULE=affinity,3
good 'device=4' OMP_DEFAULT_DEVICE=4
good 'priority=9' OMP_MAX_TASK_PRIORITY=9
good 'device=-4$' OMP_TARGET_OFFLOAD=mandatory
good 'device=0$' OMP_TARGET_OFFLOAD=disabled
good 'teams=5 teams_limit=6' OMP_NUM_TEAMS=5 OMP_TEAMS_THREAD_LIMIT=6
good 'allocator=3' OMP_ALLOCATOR=omp_const_mem_alloc
good 'allocator=5' OMP_ALLOCATOR=omp_low_lat_mem_space
good 'allocator=200' OMP_ALLOCATOR=ompx_gnu_pinned_mem_alloc
good 'allocator=-*[1-9][0-9]' OMP_ALLOCATOR=omp_large_cap_mem_space:alignment=64,fallback=null_fb
good 'bind=4 places=[1-9]' OMP_PROC_BIND=spread,close
good 'bind=0 places=0' OMP_PROC_BIND=false
good 'bind=4 places=[1-9]' 'OMP_PROC_BIND=spread , close'
for value in no 0 close,true; do
  instead 'bind=0 places=0' '; false is used' "OMP_PROC_BIND=$value"
done
good '^thread 0/1$' 'OMP_AFFINITY_FORMAT=thread %n/%N'
good 'cancellation=0' OMP_CANCELLATION=false
good 'bind=1 places=1' OMP_PLACES='{0}'
good 'bind=1 places=[1-9]' OMP_PLACES=cores
good 'bind=0 places=0' OMP_PLACES=cores OMP_PROC_BIND=false
good 'bind=1 places=1' GOMP_CPU_AFFINITY=0
good 'bind=1 places=1' 'KMP_AFFINITY=explicit,proclist=[0]'
good 'bind=1 places=[1-9]' KMP_AFFINITY=granularity=fine,compact,1,0
good 'bind=0 places=0' KMP_AFFINITY=none
good 'bind=0 places=0' KMP_AFFINITY=compact OMP_PROC_BIND=false
good 'bind=1 places=1' KMP_AFFINITY=compact 'OMP_PLACES={0}'
for value in compacted compact,7 explicit ''; do bad KMP_AFFINITY "$value"; done
for value in 1x 0c 9999s 1s,1s 1c@9999 1c:fast ''; do bad KMP_HW_SUBSET "$value"; done
good 'threads=1 ' KMP_HW_SUBSET=:1t
good 'bind=0 places=1' KMP_HW_SUBSET=:1t
good 'bind=3 places=1' KMP_HW_SUBSET=:1t OMP_PROC_BIND=close
good 'bind=1 places=1' KMP_HW_SUBSET=:1t OMP_PLACES=threads
good 'level 1 thread [0-9]* affinity [0-9]*$' KMP_HW_SUBSET=:1t OMP_DISPLAY_AFFINITY=true \
  OMP_NUM_THREADS=2
good "^  \[host\] OMP_DYNAMIC = 'FALSE'" OMP_DISPLAY_ENV=true
good "^  \[all\] OMP_CANCELLATION = 'TRUE'" OMP_DISPLAY_ENV=true OMP_CANCELLATION=true
good "OMP_PLACES = '{0}'" OMP_DISPLAY_ENV=true OMP_PLACES='{0}:1'
good "OMP_NUM_THREADS = '3,2'" OMP_DISPLAY_ENV=true OMP_NUM_THREADS=3,2
good "OMP_PROC_BIND = 'SPREAD,CLOSE'" OMP_DISPLAY_ENV=true OMP_PROC_BIND=spread,close
good "GOMP_SPINCOUNT = '1000000000'" OMP_DISPLAY_ENV=verbose GOMP_SPINCOUNT=infinity
good "GOMP_SPINCOUNT = '5000'" OMP_DISPLAY_ENV=verbose GOMP_SPINCOUNT=5k OMP_WAIT_POLICY=active
good "GOMP_STACKSIZE = '2097152B'" OMP_DISPLAY_ENV=verbose GOMP_STACKSIZE=2M
good "GOMP_STACKSIZE = '2097152B'" OMP_DISPLAY_ENV=verbose KMP_STACKSIZE=2MB
good "GOMP_STACKSIZE = '65536B'" OMP_DISPLAY_ENV=verbose 'OMP_STACKSIZE=64 kb'
good "GOMP_SPINCOUNT = '1000000000'" OMP_DISPLAY_ENV=verbose GOMP_SPINCOUNT=5T
good "GOMP_SPINCOUNT = '1000000000'" OMP_DISPLAY_ENV=verbose KMP_BLOCKTIME=Infinity
good "GOMP_SPINCOUNT = '20000'" OMP_DISPLAY_ENV=verbose KMP_BLOCKTIME=200US
good 'threads=2 ' OMP_NUM_THREADS=2 KMP_AFFINITY=verbose
good 'seen: 2/3' OMP_DISPLAY_AFFINITY=true OMP_NUM_THREADS=3 'OMP_AFFINITY_FORMAT=seen: %n/%N'
good 'cancellation=1' OMP_CANCELLATION=true
good "OMP_SCHEDULE = 'GUIDED,5'" OMP_DISPLAY_ENV=true OMP_SCHEDULE=guided,5
good "DOALL_SCHEDULE = 'affinity'" OMP_DISPLAY_ENV=verbose DOALL_SCHEDULE=affinity
good 'threads=2' OMP_NUM_THREADS=2 OMP_STACKSIZE=2M OMP_WAIT_POLICY=PASSIVE \
  OMP_TARGET_OFFLOAD=disabled

[ "$failures" -eq 0 ] || exit 1
echo "every variable did as it should"
