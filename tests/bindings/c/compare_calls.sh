#!/bin/sh
# compare_calls.sh LIST PROGRAM...: fails, showing them, where listed functions are called by none of
# the programs.
list=$1
shift
called=$(nm --dynamic --undefined-only "$@" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }')
missing=$(sed 's/@.*//' "$list" | while read -r name; do
  echo "$called" | grep -qx "$name" || echo "$name"
done)
[ -z "$missing" ] || { echo "not called by any test: $missing"; exit 1; }
