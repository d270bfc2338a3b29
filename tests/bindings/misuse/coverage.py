"""Whether every function of the C interface has a row in the table. Usage: coverage.py SYMBOLS MISUSE"""

import pathlib
import sys

symbols = {line.split("@@")[0].removeprefix("cuboid_")
           for line in pathlib.Path(sys.argv[1]).read_text().split() if line.endswith("@@CUBOID_0")}
# The forms of a collective are one operation.
operations = {name for name in symbols
              if not any(name.endswith(form) and name.removesuffix(form) in symbols for form in ("_start", "_plan"))}
covered = set()
for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
    words = line.split()
    if words[:2] == ["#", "free:"]:
        covered.update(words[2:])
    elif words and words[0] != "#":
        covered.add(words[0])
missing = sorted(operations - covered)
unknown = sorted(covered - operations)
if missing:
    print("no row says how these are misused:", *missing)
if unknown:
    print("no such functions:", *unknown)
sys.exit(1 if missing or unknown else 0)
