"""The errors that Frontdesk raises on purpose; the table that turns them into HTTP lives in `api/errors.py`.

FrontdeskError
├── ConfigurationError      an operator's file or variable is wrong; start-up stops
├── InvalidInput            the request cannot be meant as it stands
├── TooLarge                the message or the body is over its bound
├── Forbidden               the caller's roles do not allow it
├── NotFound                no such thread, run or checkpoint for this caller
├── Conflict                the thread is not in the state that the request needs
│   ├── NoInterrupt         a resume where nothing waits for an answer
│   ├── StaleInterrupt      a resume of a question that is not the open one
│   ├── ExpiredInterrupt    a resume of a question that has run out
│   ├── StaleThread         another writer moved the thread on
│   └── ThreadBusy          a run is on its way, and the request would not wait for it
└── Unavailable             a part that the desk cannot do without does not answer
"""


class FrontdeskError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class ConfigurationError(FrontdeskError):
    """The configuration is wrong."""


class InvalidInput(FrontdeskError):
    """The request is not valid."""


class TooLarge(FrontdeskError):
    """The request is too large."""


class Forbidden(FrontdeskError):
    """You are not permitted to do this."""


class NotFound(FrontdeskError):
    """Not found."""


class Conflict(FrontdeskError):
    """The thread is not in the state that this request needs."""


class NoInterrupt(Conflict):
    """Nothing on this thread waits for an answer."""


class StaleInterrupt(Conflict):
    """This question is not the one that waits for an answer."""


class ExpiredInterrupt(Conflict):
    """This question has expired; send the request again."""


class StaleThread(Conflict):
    """Another request moved this thread on; send the request again."""


class ThreadBusy(Conflict):
    """Thread is already running a task. Wait for it to finish or choose a different multitask strategy."""


class Unavailable(FrontdeskError):
    """A part that the desk needs does not answer."""
