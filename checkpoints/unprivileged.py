"""A small program: give up root, keep the right to open any file, and become the command that is named (Linux).

Run as `python -I -S unprivileged.py UID GID PROGRAM ARGUMENT…`. PostgreSQL refuses to run as root; as any other user
it could not read an installation or a data folder below a home that is closed to others. CAP_DAC_OVERRIDE solves both.
"""

import ctypes
import os
import sys

PR_SET_KEEPCAPS, PR_SET_SECUREBITS, PR_CAP_AMBIENT = 8, 28, 47
PR_CAP_AMBIENT_RAISE = 2
# Without NO_SETUID_FIXUP access(2) would ignore the capability after the change of user.
KEEP_CAPS, NO_SETUID_FIXUP = 1 << 4, 1 << 2
CAP_DAC_OVERRIDE = 1
LINUX_CAPABILITY_VERSION_3 = 0x20080522


def drop_root(uid: int, gid: int) -> None:
    if sys.platform != "linux":
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    libc.prctl(PR_SET_SECUREBITS, KEEP_CAPS | NO_SETUID_FIXUP, 0, 0, 0)
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    header = (ctypes.c_uint32 * 2)(LINUX_CAPABILITY_VERSION_3, 0)
    bit = 1 << CAP_DAC_OVERRIDE
    effective_permitted_inheritable = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
    if libc.capset(header, effective_permitted_inheritable) == 0:
        libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0)


if __name__ == "__main__":
    drop_root(int(sys.argv[1]), int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])  # noqa: S606 - the command is the parent's own
