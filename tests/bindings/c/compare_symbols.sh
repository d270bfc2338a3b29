#!/bin/sh
# compare_symbols.sh LIBRARY LIST: fails, showing the difference, where the symbols that a library
# exports, with their versions, are not those listed.
nm --dynamic --defined-only --with-symbol-versions "$1" |
  awk '$2 == "T" { print $3 }' | LC_ALL=C sort | diff "$2" -
