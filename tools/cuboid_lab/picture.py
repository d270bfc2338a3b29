"""The network as an SVG picture, each direction of each cable coloured by how busy it was, drawn by `cuboid topo`."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from .errors import LabError
from .host import run

# In the build tree, and installed.
BESIDE = [Path(__file__).resolve().parents[up] / place
          for up, place in ((2, "build/release/tools/cuboid"), (3, "bin/cuboid"))]


def network_document(network):
    """The network as a file that Cuboid reads, its cables in the same order."""
    return {"nodes": network.names,
            "cables": [{"ends": [network.names[end] for end in cable.ends], "rate": cable.rate} for cable in network.cables]}


def find_cuboid():
    """The command: what CUBOID_COMMAND says, the one beside the lab, or any."""
    found = os.environ.get("CUBOID_COMMAND") or next(filter(Path.exists, BESIDE), None) or shutil.which("cuboid")
    if found is None:
        raise LabError("--svg needs the command cuboid: build it, or say where it is with CUBOID_COMMAND")
    return found


def draw(network, links, title):
    """The text of an SVG document. `links` is what `lab links --json` prints."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / name for name in ("network.json", "links.json", "picture.svg")}
        files["network.json"].write_text(json.dumps(network_document(network)), encoding="utf-8")
        files["links.json"].write_text(json.dumps(links), encoding="utf-8")
        run([find_cuboid(), "topo", "--from", files["network.json"], "--traffic", files["links.json"], "--title", title,
             "--draw", files["picture.svg"]])
        return files["picture.svg"].read_text(encoding="utf-8")
