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

ends detach 'a task with a detach clause is not there yet'
[ "$failures" -eq 0 ]
