"""Where the lab is, for tests that import it and for tests that run it."""

import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3] / "tools"
LAB = str(TOOLS / "lab")
sys.path.insert(0, str(TOOLS))
