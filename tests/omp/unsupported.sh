#!/bin/sh
# What is not there yet names itself and ends the program with status 1.
#   unsupported.sh VARIABLE=LIBRARY PROGRAM
set -eu
on_doall=$1
program=$2
failures=0

ends() { # argument, text of the message
  status=0
  said=$(env "$on_doall" "$program" "$1" 2>&1) || status=$?
  case $said in
    "doall: $2"*) named=1 ;;
    *) named=0 ;;
  esac
  if [ $status -ne 1 ] || [ $named -ne 1 ]; then
    echo "wrong: $1 gave status $status and \"$said\""
    failures=$((failures + 1))
  fi
}

ends target 'GOMP_target_ext is not there yet: this program offloads to devices; it ends here'
ends target_data 'GOMP_target_data_ext is not there yet'
ends target_update 'GOMP_target_update_ext is not there yet'
ends target_enter 'GOMP_target_enter_exit_data is not there yet'
ends target_in_region 'GOMP_target_ext is not there yet'
[ "$failures" -eq 0 ]
