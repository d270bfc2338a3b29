"""Matrix files for the command's tests, written and read without NumPy."""

import array
import struct

CODES = {"<f4": "f", "<f8": "d"}


def write(path, rows, descr="<f8", fortran_order=False):
    """Writes a matrix of real numbers, a list of rows, as a .npy file."""
    shape = (len(rows), len(rows[0]) if rows else 0)
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}"
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    lines = zip(*rows) if fortran_order else rows
    values = array.array(CODES[descr], [value for line in lines for value in line])
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        file.write(values.tobytes())


def read(path):
    """Reads a .npy file of real numbers as a list of rows."""
    with open(path, "rb") as file:
        content = file.read()
    end = 10 + struct.unpack("<H", content[8:10])[0]
    header = eval(content[10:end].decode(), {"__builtins__": {}})  # a literal of our own command
    values = array.array(CODES[header["descr"]], content[end:])
    rows, columns = header["shape"]
    if header["fortran_order"]:
        return [[values[j * rows + i] for j in range(columns)] for i in range(rows)]
    return [list(values[i * columns : (i + 1) * columns]) for i in range(rows)]
