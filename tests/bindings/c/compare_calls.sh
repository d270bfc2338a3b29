#!/bin/sh
# compare_calls.sh LIST PROGRAM...: fails, showing them, where listed functions are called by none of
# the programs. What is private to Cuboid's other languages is tested by theirs.
list=$1
shift
called=$(nm --dynamic --undefined-only "$@" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }')
missing=$(grep '@@CUBOID_0$' "$list" | sed 's/@.*//' | while read -r name; do
  echo "$called" | grep -qx "$name" || echo "$name"
done)
[ -z "$missing" ] || { echo "not called by any test: $missing"; exit 1; }
