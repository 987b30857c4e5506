#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents agree with the program.

    docs.py [--update] [DWELL]

Options and purposes of every command stand in its man page, and nothing else does; the examples in
README.md print what they show, those of the man pages run; names in JSON are documented; NEWS.md
has this version; files and constants that are mentioned exist.

An example in README.md is a fenced block that begins with "$ build/dwell"; --update writes what its
commands print now into it. An example of a man page is a line "$ dwell ..." below EXAMPLES.
"""
import argparse
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from tap import Tap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMEOUT_S = 60
# The ways in which explain is asked about the inputs, for all names in its JSON; flags are added.
ASK = [[], ["-n", "100", "-b", "100us", "--overhead", "20-30%"], ["-n", "100", "-l", "no_such"]]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def run(command, folder=None):
    """Exit code, output and errors of a command in the source's root; folder: where dwell is."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
    env.update(LC_ALL="C", TERM="dumb")
    if folder:
        env["PATH"] = folder + ":" + os.environ["PATH"]
    p = subprocess.run(command, shell=isinstance(command, str), cwd=ROOT, env=env, check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=TIMEOUT_S)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def one_line(text):
    return " ".join(text.split())


def difference(want, got):
    """None, or what is in one of two lists alone."""
    lines = ["the program has, the document lacks: " + x for x in got if x not in want]
    lines += ["the document has, the program lacks: " + x for x in want if x not in got]
    return "\n".join(lines) or None


# -- Options and purposes --------------------------------------------------------------------------

def help_options(text):
    """'-t, --top N' of each option in what --help prints."""
    return re.findall(r"^ {2}(?: {4})?(-\S*(?: \S+)*)", text, re.M)


def man_options(text):
    """The same of each '.It Fl t , Fl Fl top Ar N'."""
    found = []
    for item in re.findall(r"^\.It (Fl .*)", text, re.M):
        item = re.sub(r"Fl Fl ", "--", item)
        item = re.sub(r"Fl ", "-", item)
        item = re.sub(r"(Ar|Cm) ", "", item)
        found.append(item.replace(" ,", ","))
    return found


def mentioned_options(text):
    """Those that a man page speaks of anywhere, without their values."""
    long = re.findall(r"Fl Fl ([\w-]+)", text)
    short = re.findall(r"Fl (\w)\b", text)
    return {"--" + x for x in long} | {"-" + x for x in short}


def check_options(help_text, man):
    options = help_options(help_text)
    wrong = difference(man_options(man), options)
    known = set(re.findall(r"(?<!\S)--?[\w-]+", " ".join(options)))
    unknown = sorted(mentioned_options(man) - known)
    return wrong or ("the page speaks of " + ", ".join(unknown) if unknown else None)


def purposes(overview):
    """Command to purpose, from `dwell --help`."""
    found = {}
    name = None
    for line in overview.splitlines():
        m = re.match(r"  (\S+) +(\S.*)", line)
        if m and not line.startswith("   "):
            name = m[1]
            found[name] = m[2]
        elif name and line.startswith(" " * 12):
            found[name] += " " + line.strip()
        else:
            name = None
    return found


def man_purposes(man):
    """Command to purpose, from the list in dwell.1."""
    items = re.findall(r"^\.It Cm (\S+)\n((?:[^.].*\n)+)", man, re.M)
    return {name: one_line(text.split(";")[0]) for name, text in items}


def check_purpose(purpose, help_text, man, listed):
    nd = re.search(r"^\.Nd (.*)", man, re.M)
    said = {"its page": nd and nd[1], "dwell.1": listed,
            "--help": one_line(help_text.split("\n\n")[1])}
    return "\n".join("%s says: %s\n  dwell --help says: %s" % (where, text, purpose)
                     for where, text in said.items() if text != purpose) or None


# -- Examples --------------------------------------------------------------------------------------

def readme_examples(text):
    """(first line, last line) of the inside of each fenced block with a command and its output."""
    fences = [i for i, line in enumerate(text.split("\n")) if line.startswith("```")]
    lines = text.split("\n")
    return [(a + 1, b) for a, b in zip(fences[::2], fences[1::2]) if lines[a + 1].startswith("$ ")]


def commands_of(lines):
    """The commands of an example, each as its lines."""
    found = []
    goes_on = False
    for line in lines:
        if line.startswith("$ "):
            found.append([line])
        elif goes_on:
            found[-1].append(line)
        goes_on = (line.startswith("$ ") or goes_on) and line.endswith("\\")
    return found


def run_readme(text, execute):
    """The text with every example as it prints now, and what went wrong."""
    lines = text.split("\n")
    wrong = []
    for first, end in reversed(readme_examples(text)):
        new = []
        for command in commands_of(lines[first:end]):
            line = "\n".join(command)[2:]
            if not line.startswith("build/dwell "):
                wrong.append("not run, since it does not begin with build/dwell: " + line)
            code, out, err = execute(line)
            if code or err:
                wrong.append("%s: exit code %d\n%s" % (line, code, err))
            new += command + out.rstrip("\n").split("\n")
        lines[first:end] = new
    return "\n".join(lines), wrong


def check_readme(text, execute):
    now, wrong = run_readme(text, execute)
    if not readme_examples(text):
        wrong.append("no example found")
    if now != text:
        wrong += ["docs.py --update writes what is printed now:"]
        wrong += difflib.unified_diff(text.split("\n"), now.split("\n"), "README.md", "printed",
                                      lineterm="")
    return "\n".join(wrong) or None


def man_examples(man):
    part = re.search(r"^\.Sh EXAMPLES\n(.*?)(?=^\.Sh |\Z)", man, re.M | re.S)
    lines = part[1].split("\n") if part else []
    return [line[2:].replace("\\e", "\\").replace("\\-", "-")
            for line in lines if line.startswith("$ ")]


def check_man_examples(man, execute):
    wrong = []
    examples = man_examples(man)
    if not examples:
        wrong.append("no example found")
    for line in examples:
        code, out, err = execute(line)
        if code or "dwell: " in err or not out + err or "dwell" not in line:
            wrong.append("%s: exit code %d, %d bytes printed\n%s" % (line, code, len(out), err))
    return "\n".join(wrong) or None


# -- Names in JSON ---------------------------------------------------------------------------------

def names_in(value):
    """Names of members, and the values of those that name something: key, kind, schema."""
    found = set()
    if isinstance(value, list):
        for v in value:
            found |= names_in(v)
    elif isinstance(value, dict):
        for k, v in value.items():
            found |= {k} | names_in(v)
            if k in ("key", "kind", "schema") and isinstance(v, str):
                found.add(v)
    return found


def check_names(names, man):
    words = set(re.findall(r"[\w./]+", man.replace("\\&", "")))
    words |= {w.rstrip(".") for w in words}
    lacking = sorted(names - words)
    if not names:
        return "no name found"
    return "not documented: " + ", ".join(lacking) if lacking else None


def json_inputs():
    return sorted(glob.glob(os.path.join(ROOT, "examples", "*")) +
                  glob.glob(os.path.join(ROOT, "tests", "recorded", "*.txt")))


def check_json_of(dwell, command, ask):
    """All that the command prints about the inputs; those that it cannot read have no names."""
    names = set()
    for args in ask:
        for path in json_inputs():
            code, text, err = run([dwell, command] + args + [path])
            try:
                for doc in text.splitlines() if "jsonl" in args else [text]:
                    names |= names_in(json.loads(doc))
            except ValueError as e:
                return "%s %s %s: no JSON: %s\nexit code %d\n%s" % (
                    command, " ".join(args), path, e, code, err)
    return check_names(names, read("man/dwell-%s.1" % command))


# -- Versions, files, constants --------------------------------------------------------------------

def check_version(said, news):
    m = re.search(r"^## (\S+)", news, re.M)
    if not m or said != "dwell %s\n" % m[1]:
        return "NEWS.md begins with %s; dwell --version says: %s" % (m and m[1], said)
    return None


def check_mentions(text, exists, source):
    """
    Files in `code` and [links](to), unless NAME stands in them, and constants in tables beside the
    file that has them.
    """
    paths = re.findall(r"`((?:src|tests|man|examples|scripts)(?:/[\w.-]+)*)`", text)
    paths += re.findall(r"\]\(([\w./-]+)\)", text)
    wrong = ["no such file: " + p for p in paths if "NAME" not in p and not exists(p)]
    for name, path in re.findall(r"^\| `([A-Z_]+)` \| `(\S+)`", text, re.M):
        if exists(path) and not re.search(r"#define %s\b" % name, source(path)):
            wrong.append("no %s in %s" % (name, path))
    return "\n".join(wrong) or None


def check_makefile(makefile, readme):
    example = re.search(r"^EXAMPLE = ((?:.*\\\n)*.*)", makefile, re.M)
    want = one_line(example[1].replace("\\\n", " "))
    shown = [one_line("\n".join(c)[2:].replace("\\\n", " "))
             for a, b in readme_examples(readme) for c in commands_of(readme.split("\n")[a:b])]
    return None if want in shown else "README.md does not show what make run runs: " + want


# -- The test's own test ---------------------------------------------------------------------------

HELP = """usage: dwell x [options]

do x

Options:
  -t, --top N             rows
      --overhead COST     what
  -f, --format text|json  how
  -h, --help              print this help
"""
PAGE = """.Nd do x
.It Fl t , Fl Fl top Ar N
.It Fl Fl overhead Ar COST
.It Fl f , Fl Fl format Cm text|json
.It Fl h , Fl Fl help
.Sh EXAMPLES
$ dwell x
.Sh SEE ALSO
"""
ROW = "| `A` | `src/a.h` |"
NEWS = "# News\n\n## 1.2 (unreleased)\n## 1.1\n"
README = "a\n```\n$ build/dwell x \\\n  y\nz\n```\nb"


def fine(line):
    return 0, "z\n", ""


def self_test():
    """None, or what was judged wrongly: (what, is it wrong, verdict)"""
    table = [
        ("options", 0, check_options(HELP, PAGE)),
        ("option not in the page", 1, check_options(HELP, PAGE.replace(".It Fl Fl", ".Fl Fl"))),
        ("option not in --help", 1, check_options(HELP, PAGE + ".It Fl q\n")),
        ("other letter", 1, check_options(HELP, PAGE.replace("Fl t ,", "Fl T ,"))),
        ("other value", 1, check_options(HELP, PAGE.replace("text|json", "text"))),
        ("option in a sentence", 1, check_options(HELP, PAGE + "see\n.Fl Fl bottom\n")),
        ("purpose", 0, check_purpose("do x", HELP, PAGE, "do x")),
        ("purpose of the page", 1, check_purpose("do x", HELP, PAGE.replace("do", "be"), "do x")),
        ("purpose in dwell.1", 1, check_purpose("do x", HELP, PAGE, "do y")),
        ("README", 0, check_readme(README, fine)),
        ("README, other output", 1, check_readme(README.replace("\nz", "\nzz"), fine)),
        ("README, failure", 1, check_readme(README, lambda line: (1, "z\n", ""))),
        ("README, not run", 1, check_readme(README.replace("build/", ""), fine)),
        ("README, nothing to run", 1, check_readme("a\n```\nmake\n```\n", fine)),
        ("man examples", 0, check_man_examples(PAGE, fine)),
        ("man examples, failure", 1, check_man_examples(PAGE, lambda line: (2, "", "no"))),
        ("man examples, none", 1, check_man_examples(PAGE.replace("$ ", ""), fine)),
        ("names", 0, check_names(names_in([{"key": "a_b"}]), ".Cm key , a_b .")),
        ("name not documented", 1, check_names(names_in([{"key": "a_b"}]), ".Cm key , a .")),
        ("version", 0, check_version("dwell 1.2\n", NEWS)),
        ("old version", 1, check_version("dwell 1.1\n", NEWS)),
        ("mentions", 0, check_mentions(ROW, lambda p: True, lambda p: "#define A 1")),
        ("lost file", 1, check_mentions("see `src/a.h`", lambda p: False, None)),
        ("lost constant", 1, check_mentions(ROW, lambda p: True, lambda p: "#define AB")),
        ("Makefile", 0, check_makefile("EXAMPLE = build/dwell x \\\n\ty\n", README)),
        ("Makefile, other example", 1, check_makefile("EXAMPLE = build/dwell y\n", README)),
    ]
    return "\n".join("%s: %s" % (what, verdict or "not noticed")
                     for what, wrong, verdict in table if bool(verdict) != bool(wrong)) or None


# --------------------------------------------------------------------------------------------------

def check_commands(tap, dwell, execute):
    overview = run([dwell, "--help"])[1]
    told = purposes(overview)
    listed = man_purposes(read("man/dwell.1"))
    pages = {os.path.basename(p)[len("dwell-"):-len(".1")]
             for p in glob.glob(os.path.join(ROOT, "man", "dwell-*.1"))}
    tap.case("every command has a man page", difference(sorted(pages), sorted(told)))
    tap.case("dwell.1 lists the commands", difference(sorted(listed), sorted(told)))
    main = [w for o in man_options(read("man/dwell.1")) for w in o.split(", ")]
    refused = [o for o in main if run([dwell, o])[0]]
    refused += [o for o in set(re.findall(r"--\w+", overview)) - set(main)]
    tap.case("options of dwell.1", "in one of the two: " + ", ".join(refused) if refused else None)
    for name in sorted(pages & set(told)):
        man = read("man/dwell-%s.1" % name)
        text = run([dwell, name, "--help"])[1]
        tap.case("options of " + name, check_options(text, man))
        tap.case("purpose of " + name, check_purpose(told[name], text, man, listed.get(name)))
    for page in ["dwell"] + ["dwell-" + p for p in sorted(pages)]:
        tap.case("examples of " + page, check_man_examples(read("man/%s.1" % page), execute))


def check_json(tap, dwell):
    options = help_options(run([dwell, "explain", "--help"])[1])
    flags = [o.split(", ")[-1] for o in options if re.fullmatch(r"(-\w, )?--[\w-]+", o)]
    flags.remove("--help")
    tap.case("names in explain --format json",
             check_json_of(dwell, "explain", [["-f", "json"] + flags + a for a in ASK]))
    for to in "json", "jsonl":
        tap.case("names in convert --to " + to, check_json_of(dwell, "convert", [["--to", to]]))


def main():
    ap = argparse.ArgumentParser(description="compare the documents with the program")
    ap.add_argument("--update", action="store_true", help="write what README's examples print now")
    ap.add_argument("dwell", nargs="?", default=os.path.join(ROOT, "build", "dwell"))
    a = ap.parse_args()
    dwell = os.path.abspath(a.dwell)
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(dwell, os.path.join(folder, "dwell"))

        def execute(line):
            return run(re.sub(r"(?<!\S)build/dwell(?!\S)", "dwell", line), folder)

        if a.update:
            text, wrong = run_readme(read("README.md"), execute)
            if not wrong:
                with open(os.path.join(ROOT, "README.md"), "w", encoding="utf-8") as f:
                    f.write(text)
            tap.case("README.md updated", "\n".join(wrong) or None)
            return tap.finish()
        tap.case("what is wrong is found", self_test())
        check_commands(tap, dwell, execute)
        tap.case("examples of README.md", check_readme(read("README.md"), execute))
    check_json(tap, dwell)
    tap.case("version in NEWS.md", check_version(run([dwell, "--version"])[1], read("NEWS.md")))
    for doc in "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md":
        tap.case("what %s mentions" % doc, check_mentions(
            read(doc), lambda p: os.path.exists(os.path.join(ROOT, p)), read))
    tap.case("make run's example", check_makefile(read("Makefile"), read("README.md")))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
