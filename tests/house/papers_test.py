"""docs/papers.md cites functions, `name()`, and folders, `tools/papers`, that are there."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["base", "bench", "bindings", "collectives", "devices", "include", "mm", "models", "tools", "topology"]


def declared_functions():
    """Every name that a header follows with an opening bracket outside its comments."""
    names = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.hpp"):
            names.update(re.findall(r"\b(\w+)\(", re.sub(r"//.*", "", path.read_text())))
    return names


def functions_cited(text):
    return re.findall(r"`(\w+)\(\)`", text)


def folders_cited(text):
    return re.findall(rf"`((?:{'|'.join(FOLDERS)})(?:/\w+)+)`", text)


class Papers(unittest.TestCase):
    page = (ROOT / "docs" / "papers.md").read_text()

    def test_functions_are_there(self):
        cited = functions_cited(self.page)
        self.assertIn("hsumma_slope", cited)
        self.assertEqual(sorted(set(cited) - declared_functions()), [])

    def test_folders_are_there(self):
        cited = folders_cited(self.page)
        self.assertIn("tools/papers", cited)
        self.assertEqual([folder for folder in cited if not list(ROOT.glob(folder + "*"))], [])

    def test_what_is_not_there_would_be_found(self):
        text = "as `no_such_function()` in `models/nowhere`"
        self.assertEqual(set(functions_cited(text)) - declared_functions(), {"no_such_function"})
        self.assertEqual(folders_cited(text), ["models/nowhere"])


if __name__ == "__main__":
    unittest.main()
