"""tools/scripts/rooms finds what it is to find."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "scripts" / "rooms"


def house(files):
    """A small house: base, and two rooms on the floor of topology; `files` are added or replaced."""
    content = {
        "base/CMakeLists.txt": 'cuboid_room("Errors."\n  PUBLIC error.hpp\n  SOURCES error.cpp)\n',
        "base/error.cpp": "#include <cuboid/error.hpp>\n",
        "include/cuboid/error.hpp": "#pragma once\n",
        "topology/shape/CMakeLists.txt": 'cuboid_room("Shapes."\n  MAY_INCLUDE base\n  SOURCES shape.cpp)\n',
        "topology/shape/shape.hpp": "#include <cuboid/error.hpp>\n",
        "topology/shape/shape.cpp": '#include "topology/shape/shape.hpp"\n',
        "topology/network/CMakeLists.txt":
            'cuboid_room("Networks."\n  MAY_INCLUDE topology/shape\n  SOURCES network.cpp)\n',
        "topology/network/network.hpp": '#include "topology/shape/shape.hpp"\n',
        "topology/network/network.cpp": '#include "topology/network/network.hpp"\n',
        **files,
    }
    folder = tempfile.TemporaryDirectory()
    for name, text in content.items():
        path = pathlib.Path(folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Rooms(unittest.TestCase):
    def complaints(self, files):
        with house(files) as folder:
            done = subprocess.run([SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_a_house_in_order(self):
        self.assertEqual(self.complaints({}), "")

    def test_a_circle(self):
        found = self.complaints({
            "topology/shape/CMakeLists.txt":
                'cuboid_room("Shapes."\n  MAY_INCLUDE base topology/network\n  SOURCES shape.cpp)\n',
            "topology/shape/shape.cpp": '#include "topology/network/network.hpp"\n',
        })
        self.assertIn("circle: ", found)
        self.assertIn("topology/shape/shape.cpp > topology/network/network.hpp", found)

    def test_an_include_that_is_not_named(self):
        found = self.complaints({"topology/shape/shape.cpp": '#include "topology/network/network.hpp"\n'})
        self.assertIn("topology/shape may not include topology/network", found)

    def test_an_include_up_the_floors(self):
        found = self.complaints({
            "base/CMakeLists.txt":
                'cuboid_room("Errors."\n  MAY_INCLUDE topology/shape\n  PUBLIC error.hpp\n  SOURCES error.cpp)\n',
            "base/error.cpp": '#include "topology/shape/shape.hpp"\n',
        })
        self.assertIn("runs up the floors", found)

    def test_a_name_that_is_not_used(self):
        found = self.complaints({"topology/network/network.hpp": "\n", })
        self.assertIn("names topology/shape, which it does not include", found)

    def test_a_public_header_that_shows_internals(self):
        found = self.complaints({"include/cuboid/error.hpp": '#include "topology/shape/shape.hpp"\n'})
        self.assertIn("include/cuboid/error.hpp: includes topology/shape/shape.hpp, which is internal", found)

    def test_files_without_an_owner(self):
        self.assertIn("no room lists it", self.complaints({"include/cuboid/extra.hpp": "\n"}))
        self.assertIn("does not list it", self.complaints({"base/extra.cpp": "\n"}))

    def test_usage(self):
        done = subprocess.run([SCRIPT, "--nonsense"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
