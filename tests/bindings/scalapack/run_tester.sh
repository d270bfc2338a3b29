#!/usr/bin/env bash
# run_tester.sh MPIEXEC RANKS LIBRARY FOLDER TESTER DATA: runs a tester of ScaLAPACK's own (Debian's
# scalapack-mpi-test) with the drop-in's library preloaded, and ends with an error unless the tester says that it has
# run tests and that all of them passed. DATA is its input: FILE or FILE:LINE, where LINE replaces the last line of FILE.
# Ends with 77, which counts as skipped, where the tester is not installed.
set -euo pipefail
mpiexec=$1 ranks=$2 library=$3 folder=$4 tester=$5 data=${6%%:*} last_line=${6#*:}
program=$folder/$tester
if [ ! -x "$program" ]; then
  echo "SKIPPED: no $program: install Debian's package scalapack-mpi-test, or give CMake CUBOID_SCALAPACK_TESTERS" >&2
  exit 77
fi
input=$folder/../../../../share/scalapack/$data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$last_line" = "$6" ]; then
  cp "$input" "$work/$data"
else
  { sed '$d' "$input" && echo "$last_line"; } >"$work/$data"
fi
here=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work"
"$here/run_mpi.sh" "$mpiexec" "$ranks" env LD_PRELOAD="$library" "$program" >said 2>&1 || {
  tail -n 50 said
  exit 1
}
grep -E "^ *(Finished|[0-9]+ tests)" said || true
completed=$(awk '/tests completed and passed/ {sum += $1} END {print sum + 0}' said)
failed=$(awk '/tests completed and failed/ {sum += $1} END {print sum + 0}' said)
if [ "$completed" -eq 0 ] || [ "$failed" -ne 0 ]; then
  grep -v PASSED said | tail -n 100
  exit 1
fi
