#!/bin/sh
# run_mpi.sh MPIEXEC RANKS PROGRAM [ARGUMENT...]: starts the program on more ranks than there may be
# cores, as root where that is who runs the tests (Open MPI asks to be told that it is meant so).
mpiexec=$1
ranks=$2
shift 2
if "$mpiexec" --version 2>/dev/null | grep -q "Open MPI\|OpenRTE"; then
  set -- --oversubscribe --mca btl_vader_single_copy_mechanism none "$@"
  # Open MPI 5 does not find out by itself that its ranks must yield to each other.
  [ "$ranks" -gt "$(nproc)" ] && set -- --mca mpi_yield_when_idle 1 "$@"
  [ "$(id -u)" -eq 0 ] && set -- --allow-run-as-root "$@"
fi
exec "$mpiexec" -n "$ranks" "$@"
