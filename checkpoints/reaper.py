"""A small program: outlive the process that started the embedded PostgreSQL, and stop it when nobody uses it any more.

Run as `python -I -S reaper.py START_LOCK USERS_LOCK COMMAND…`; its standard input is a pipe whose other end the user of
the server holds. The pipe ends on a clean stop (after one byte) and when that process is killed alike.
"""

import fcntl
import os
import subprocess
import sys
import time

# A killed process's locks may be freed a moment after its end of the pipe.
TRIES_AFTER_KILL, PAUSE_S = 20, 0.1


def stop_when_unused(start_lock: str, users_lock: str, command: list[str]) -> None:
    stopped_cleanly = bool(sys.stdin.buffer.read())
    start, users = (os.open(path, os.O_RDWR | os.O_CREAT, 0o600) for path in (start_lock, users_lock))
    for _ in range(1 if stopped_cleanly else TRIES_AFTER_KILL):
        fcntl.flock(start, fcntl.LOCK_EX)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            fcntl.flock(start, fcntl.LOCK_UN)
            time.sleep(0 if stopped_cleanly else PAUSE_S)
            continue
        quiet = subprocess.DEVNULL
        subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, check=False)  # noqa: S603 - the parent's own
        return


if __name__ == "__main__":
    stop_when_unused(sys.argv[1], sys.argv[2], sys.argv[3:])
