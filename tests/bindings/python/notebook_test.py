#!/usr/bin/env python3
"""The notebook of the pages runs from its first cell to its last, and its tables have what they announce.

Usage: notebook_test.py CUBOID
"""

import os
import pathlib
import re
import sys
import tempfile
import unittest

try:
    import ipykernel  # noqa: F401 (the kernel that nbclient starts)
    import nbclient
    import nbformat
except ImportError as error:
    print(f"SKIPPED: {error}: install python3-nbclient and python3-ipykernel")
    sys.exit(77)

CUBOID = pathlib.Path(sys.argv.pop(1)).resolve()
NOTEBOOK = pathlib.Path(__file__).resolve().parents[3] / "docs/notebook/discovery_to_model.ipynb"


def outputs_of(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            yield output.get("text", "") or output["data"].get("image/svg+xml") or output["data"]["text/plain"]


class Notebook(unittest.TestCase):
    def test_runs(self):
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbformat.validate(notebook)
        os.environ["PATH"] = f"{CUBOID.parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                    resources={"metadata": {"path": folder}}).execute()
        said = "\n".join(outputs_of(notebook))
        self.assertIn("<svg", said)
        self.assertEqual(len(re.findall(r"(?m)^torus:\S+ +[\d.]+ us  \w+$", said)), 3)
        self.assertEqual(len(re.findall(r"(?m)^ *\d+ +[\d.]+ us +[\d.]+ us +[\d.]+  \w+$", said)), 8)
        self.assertRegex(said, r"parameters, 8 sizes: error \d+% in the median, \d+% at most")

    def test_is_stored_without_outputs(self):
        for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
            self.assertEqual(cell.get("outputs", []), [])


if __name__ == "__main__":
    unittest.main()
