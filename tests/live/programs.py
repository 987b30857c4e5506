#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs as they are, under dwell record locks: the same output and the same exit status as
without, and something counted. What is not installed is skipped.

    programs.py DWELL
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from tap import Tap  # noqa: E402

TIMEOUT_S = 120

THREADS = """
import concurrent.futures, queue, threading
done, lock, n = queue.Queue(), threading.Lock(), 0
def work():
    global n
    for i in range(5000):
        with lock:
            n += 1
    done.put(1)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(n, done.qsize(), sum(pool.map(lambda x: x * x, range(500))))
"""
REDIS = """
redis-server --port 0 --unixsocket redis.sock --save '' --io-threads 2 >/dev/null &
pid=$!
for i in $(seq 100); do redis-cli -s redis.sock ping >/dev/null 2>&1 && break; sleep 0.1; done
redis-benchmark -s redis.sock -t set,incr -n 1000 -c 10 -q >/dev/null
redis-cli -s redis.sock get counter:__rand_int__
redis-cli -s redis.sock shutdown nosave
wait $pid
"""
MEMCACHED = """
import hashlib, os, socket, subprocess, sys, threading, time
server = subprocess.Popen(["memcached", "-s", "memcached.sock", "-t", "4", "-m", "16"]
                          + (["-u", "root"] if os.getuid() == 0 else []))
def connect():
    for _ in range(200):
        try:
            s = socket.socket(socket.AF_UNIX)
            s.connect("memcached.sock")
            return s.makefile("rwb")
        except OSError:
            time.sleep(0.05)
def ask(f, text, data=None):
    f.write(text.encode() + b"\\r\\n" + (data + b"\\r\\n" if data else b""))
    f.flush()
    return f.readline().decode().strip()
first = connect()
said = {ask(first, "set n 0 0 1", b"0")}
def work(k):
    f = connect()
    for i in range(1500):
        said.add(ask(f, "set k%d.%d 0 0 5" % (k, i % 50), b"%05d" % i))
        ask(f, "incr n 1")
        f.write(b"get k%d.%d\\r\\n" % (k, i % 50)); f.flush()
        got = [f.readline() for _ in range(3)]
        said.add(str(int(got[1]) == i) + got[2].decode().strip())
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in threads: t.start()
for t in threads: t.join()
first.write(b"get n\\r\\n"); first.flush()
print(sorted(said), [first.readline().strip() for _ in range(3)][1])
server.terminate()
sys.exit(server.wait())
"""
RUST = """
use std::sync::{Arc, Condvar, Mutex};
fn main() {
    let m = Arc::new((Mutex::new(0u64), Condvar::new()));
    let threads: Vec<_> = (0..4).map(|_| { let m = m.clone(); std::thread::spawn(move || {
        for _ in 0..20000 { *m.0.lock().unwrap() += 1; }
        m.1.notify_all(); }) }).collect();
    let mut n = m.0.lock().unwrap();
    while *n < 80000 { n = m.1.wait(n).unwrap(); }
    println!("{}", *n);
    drop(n);
    for t in threads { t.join().unwrap(); }
}
"""
# name, what it needs, how it is built (or None), how it is run; whether locks of it can be seen
PROGRAMS = [
    ("python3, threads", ["python3"], None, "python3 threads.py", True),
    ("xz -T2", ["xz"], None, "xz -T2 -0 --block-size=262144 -c data | xz -dc | cksum", True),
    ("pigz", ["pigz"], None, "pigz -p2 -c data | pigz -dc | cksum", True),
    ("sort --parallel", ["sort"], None, "sort --parallel=2 -S 64M data | cksum", False),
    ("C++, conditions", ["c++"], "c++ -std=c++17 -O2 -g %s/conditions.cc -o conditions -pthread"
     % HERE, "./conditions", True),
    ("Rust, std::sync", ["rustc"], "rustc -O rust.rs -o rust", "./rust", False),
    ("Rust, ripgrep", ["rg"], None, "rg -j2 -c 77 many | sort | cksum", False),
    ("memcached, four threads and four clients", ["memcached"], None, "python3 memcached.py", True),
    ("redis-server, redis-benchmark", ["redis-server", "redis-benchmark"], None, "sh redis.sh", True),
]


def shell(command, folder):
    p = subprocess.run(command, shell=isinstance(command, str), cwd=folder, check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=TIMEOUT_S)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def check(tap, dwell, folder, program):
    name, _, build, run, seen = program
    if build and shell(build, folder)[0]:
        return tap.skip(name, "cannot be built")
    began = time.monotonic()
    status, bare, _ = shell(run, folder)
    took = time.monotonic() - began
    counted, out, errors = shell([dwell, "record", "locks", "-o", "locks.json", "--", "sh", "-c", run],
                                 folder)
    wrong = []
    if counted != status:
        wrong.append("exit %d, without dwell %d: %s" % (counted, status, errors))
    if out != bare:
        wrong.append("prints\n%s\nwithout dwell\n%s" % (out[:400], bare[:400]))
    with open(os.path.join(folder, "locks.json"), encoding="utf-8") as f:
        table = json.load(f)[0]
    taken = sum(r["acquisitions"] or 0 for r in table["classes"])
    waited = sum(r["contentions"] or 0 for r in table["classes"])
    if seen and not taken:
        wrong.append("nothing was counted")
    tap.note("%s: %d acquisitions, %d waits, %.2f s (%.2f s without dwell)"
             % (name, taken, waited, table["run"]["ns"] / 1e9, took))
    return tap.case(name, "\n".join(wrong) or None)


def main():
    dwell = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("threads.py", THREADS), ("memcached.py", MEMCACHED), ("redis.sh", REDIS), ("rust.rs", RUST)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as f:
                f.write(text)
        with open(os.path.join(folder, "data"), "w", encoding="ascii") as f:
            f.writelines("%d\n" % (i * 7919 % 1000003) for i in range(200000))
        os.mkdir(os.path.join(folder, "many"))
        for i in range(200):
            with open(os.path.join(folder, "many", str(i)), "w", encoding="ascii") as f:
                f.writelines("%d\n" % (i * k) for k in range(500))
        for program in PROGRAMS:
            missing = [p for p in program[1] if not shutil.which(p)]
            if missing:
                tap.skip(program[0], "%s is not installed" % missing[0])
            else:
                check(tap, dwell, folder, program)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
