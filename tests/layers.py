#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may include whom: the dependencies of the folders point one way.

    base < stat < core < host < symbol < { read, analyze, render, record, sim } < lab < cmd

A folder includes itself and what is lower; those in braces do not include one another. Every
quoted include names a folder. wire/ sees nothing, preload/ and bpf/ see wire/ alone, and
everything in src/ may see wire/.

    layers.py [ROOT]
"""
import os
import re
import sys
import tempfile

from tap import Tap

LEVELS = [["base"], ["stat"], ["core"], ["host"], ["symbol"],
          ["read", "analyze", "render", "record", "sim"], ["lab"], ["cmd"]]
OUTSIDE = {"wire": {"wire"}, "preload": {"preload", "wire"}, "bpf": {"bpf", "wire"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def rules():
    """Folder to the set of folders that it may include."""
    allowed = dict(OUTSIDE)
    lower = {"wire"}
    for level in LEVELS:
        for folder in level:
            allowed[folder] = lower | {folder}
        lower = lower | set(level)
    return allowed


ALLOWED = rules()


def sources(top):
    for where, dirs, files in os.walk(top):
        dirs.sort()
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                yield os.path.join(where, name)


def includes(path):
    """(line, folder or None, text) of the includes that are quoted or name a folder of ours."""
    with open(path, encoding="utf-8", errors="replace") as f:
        for number, line in enumerate(f, 1):
            m = INCLUDE.match(line)
            if not m:
                continue
            folder = m[2].split("/")[0] if "/" in m[2] else None
            if m[1] == '"' or folder in ALLOWED:
                yield number, folder, m[2]


def check_folder(root, top, folder):
    """What is wrong in the sources below top, which belong to folder."""
    if folder not in ALLOWED:
        return ["%s: folder unknown to the rule" % os.path.relpath(top, root)]
    wrong = []
    for path in sources(top):
        for number, to, text in includes(path):
            where = "%s:%d: \"%s\": " % (os.path.relpath(path, root), number, text)
            if to is None:
                wrong.append(where + "names no folder")
            elif to not in ALLOWED:
                wrong.append(where + "folder unknown to the rule")
            elif to not in ALLOWED[folder]:
                wrong.append(where + "%s must not see %s" % (folder, to))
    return wrong


def check_tree(root):
    """Folder to the list of what is wrong in it."""
    src = os.path.join(root, "src")
    found = {}
    for name in sorted(os.listdir(src)):
        path = os.path.join(src, name)
        if os.path.isdir(path):
            if any(sources(path)):
                found[name] = check_folder(root, path, name)
        elif name.endswith((".c", ".h")):
            found["src"] = found.get("src", []) + ["src/%s: belongs in a folder" % name]
    for name in sorted(OUTSIDE):
        path = os.path.join(root, name)
        if os.path.isdir(path):
            found[name] = check_folder(root, path, name)
    return found


SELF_TEST = [
    # file, its text, whether it breaks the rule
    ("src/core/good.c", '#include "core/good.h"\n#include "base/err.h"\n#include <stdio.h>\n', False),
    ("src/read/good.c", '#include "symbol/a.h"\n#include "wire/a.h"\n#include <sys/stat.h>\n', False),
    ("src/cmd/good.c", '#include "lab/a.h"\n#include "read/a.h"\n#include "render/a.h"\n', False),
    ("preload/good.c", '#include "wire/a.h"\n#include "preload/b.h"\n', False),
    ("src/base/upwards.c", '#include "stat/a.h"\n', True),
    ("src/core/upwards.c", '\n #  include "read/a.h"\n', True),
    ("src/core/angle.c", '#include <cmd/a.h>\n', True),
    ("src/read/sideways.c", '#include "analyze/a.h"\n', True),
    ("src/render/sideways.c", '#include "read/a.h"\n', True),
    ("src/lab/upwards.h", '#include "cmd/a.h"\n', True),
    ("src/read/bare.c", '#include "text.h"\n', True),
    ("src/read/dots.c", '#include "../base/err.h"\n', True),
    ("src/cmd/unknown.c", '#include "util/a.h"\n', True),
    ("src/util/folder.c", '#include <stdio.h>\n', True),
    ("src/stray.c", '', True),
    ("wire/sees.h", '#include "base/err.h"\n', True),
    ("preload/sees.c", '#include "base/mem.h"\n', True),
    ("bpf/sees.bpf.c", '#include "core/event.h"\n', True),
]


def self_test():
    """None, or which files of a made-up tree were judged wrongly."""
    wrong = []
    with tempfile.TemporaryDirectory() as root:
        for path, text, _ in SELF_TEST:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                f.write(text)
        said = "\n".join(line for lines in check_tree(root).values() for line in lines)
        for path, _, bad in SELF_TEST:
            # an unknown folder is named as a whole
            hit = path in said or os.path.dirname(path) + ": folder unknown" in said
            if hit != bad:
                wrong.append("%s: %s" % (path, "missed" if bad else "refused"))
    return "\n".join(wrong) or None


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(__file__)) or "."
    tap = Tap()
    tap.case("a made-up tree's violations are found", self_test())
    for folder, wrong in check_tree(root).items():
        tap.case("includes of %s" % folder, "\n".join(wrong) or None)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
