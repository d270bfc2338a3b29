"""Whether misuses of communicators from MPI end as misuse.txt says. Usage: rows_of_mpi.py MISUSE LANGUAGE COMMAND...

The command gets an operation and a misuse for each row of the language, and prints how they ended, on two ranks.
"""

import pathlib
import subprocess
import sys

table, language, *command = sys.argv[1:]
words = [line.split() for line in pathlib.Path(table).read_text().splitlines() if not line.startswith("#")]
rows = [row[:3] for row in words if len(row) == 4 and row[3].startswith("mpi:")
        and language in row[3].removeprefix("mpi:").split("/")]
run = subprocess.run([*command, *(word for row in rows for word in row[:2])], capture_output=True, text=True, check=False)
said = [" ".join(line.split()) for line in run.stdout.splitlines()]
wrong = [" ".join(row) for row in rows if said.count(" ".join(row)) != 2]
if wrong or not rows or run.returncode != 0:
    print("not so on both ranks:", *wrong, "what they said:", run.stdout, run.stderr, sep="\n")
    sys.exit(1)
print(len(rows), "rows")
