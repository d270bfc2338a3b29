#!/usr/bin/env python3
"""Doxygen's filter for Markdown: gives headings GitHub's names, so that links to them lead there.

Of links whose text is code it takes the code's marks, which Doxygen 1.9 would print.

Usage: name_headings.py FILE.md

A heading "## Nodes cabled directly" of clusters.md gets the label clusters-nodes-cabled-directly, and links such as
clusters.md#nodes-cabled-directly or, within the page, #nodes-cabled-directly refer to it.
"""

import re
import sys
from pathlib import Path


def slug(heading):
    """GitHub's name of a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def name_heading(page, match):
    marks, text = match.groups()
    if len(marks) == 1:
        return match.group(0)  # the page's own title
    return f"{marks} {text} {{#{page}-{slug(text)}}}"


def name_target(page, match):
    file, heading = match.groups()
    return f"](@ref {Path(file).stem if file else page}-{heading})"


def filtered(page, text):
    """The text with labels, but for what stands in code."""
    text = re.sub(r"\[`([^`\n]*)`\]\(", r"[\1](", text)
    parts = re.split(r"(^```.*?^```$|`[^`\n]*`)", text, flags=re.MULTILINE | re.DOTALL)
    # Headings may have code in them: they are named before the text is split, by lines outside of fences.
    return "".join(part if index % 2 else
                   re.sub(r"\]\(([\w./-]*\.md)?#([\w.-]+)\)", lambda match: name_target(page, match), part)
                   for index, part in enumerate(parts))


def with_labels(page, text):
    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        lines.append(line if fenced else re.sub(r"^(#{1,5}) (.*)$", lambda match: name_heading(page, match), line))
    return "\n".join(lines)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    name = path.stem
    sys.stdout.write(filtered(name, with_labels(name, path.read_text(encoding="utf-8"))))
