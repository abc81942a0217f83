"""Runs a program on a terminal of its own, as when somebody sits at it.

Standard input is lines of JSON: {"type": "text"} or {"rows": 31, "columns": 97}. Standard output is what the terminal
shows, as it comes. Ends with the program's exit code.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios


def resize(terminal: int, rows: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def obey(terminal: int, line: bytes) -> None:
    order = json.loads(line)
    if "type" in order:
        os.write(terminal, order["type"].encode())
    else:
        # The kernel tells the program by SIGWINCH.
        resize(terminal, order["rows"], order["columns"])


def main() -> int:
    child, terminal = pty.fork()
    if child == 0:
        # Not before it has a size: programs ask for it when they begin.
        os.read(0, 1)
        os.execv(sys.argv[1], sys.argv[1:])
    resize(terminal, 24, 80)
    os.write(terminal, b"\n")
    orders = b""
    sources = [terminal, 0]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if 0 in ready:
            read = os.read(0, 65536)
            if not read:
                sources.remove(0)
            orders += read
            *lines, orders = orders.split(b"\n")
            for line in lines:
                obey(terminal, line)
        if terminal in ready:
            try:
                shown = os.read(terminal, 65536)
            except OSError:
                # Linux says so, rather than by an end, when the program has let go of it.
                break
            if not shown:
                break
            os.write(1, shown)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


sys.exit(main())
