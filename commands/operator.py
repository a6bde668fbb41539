"""Who works at this machine, for what is written down of an operator's doings."""

import getpass


def operator() -> str:
    """As far as this machine knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "operator"
