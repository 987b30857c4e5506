#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing is forgotten: every source, unit test, man page and example stands in a meson.build.

    listed.py [ROOT]
"""
import glob
import os
import sys

from tap import Tap

# what, files, the file that lists them, how a file is written there ({path} from that file's folder)
LISTS = [
    ("sources", "src/*/*.c", "src/meson.build", "'{path}'"),
    ("unit tests", "tests/unit/test_*.c", "tests/meson.build", "'{test}'"),
    ("man pages", "man/*.[1-8]", "meson.build", "'{path}'"),
    ("examples", "examples/*", "meson.build", "'{path}'"),
]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(__file__)) or "."
    tap = Tap()
    for what, pattern, build, form in LISTS:
        with open(os.path.join(root, build), encoding="utf-8") as f:
            text = "\n".join(line.split("#")[0] for line in f)
        missing = []
        for full in sorted(glob.glob(os.path.join(root, pattern))):
            path = os.path.relpath(full, os.path.dirname(os.path.join(root, build)))
            name = os.path.basename(path)
            if form.format(path=path, test=name[len("test_"):-len(".c")]) not in text:
                missing.append("%s is not listed" % os.path.relpath(full, root))
        tap.case("%s are listed in %s" % (what, build), "\n".join(missing) or None)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
