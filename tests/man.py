#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Man pages are well-formed: mandoc finds nothing of the level "warning" or worse.

    man.py [ROOT]
"""
import glob
import os
import shutil
import subprocess
import sys

from tap import Tap


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(__file__)) or "."
    tap = Tap()
    pages = sorted(glob.glob(os.path.join(root, "man", "*.[1-8]")))
    if not pages:
        tap.skip("man pages", "none yet")
    for page in pages:
        name = "mandoc " + os.path.basename(page)
        if not shutil.which("mandoc"):
            tap.skip(name, "no mandoc")
            continue
        p = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = p.stdout.decode("utf-8", "replace").strip()
        tap.case(name, None if p.returncode == 0 else text)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
