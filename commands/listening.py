"""The socket of a server: taken before anything else is started, so that a port in use is found out at once."""

import errno
import socket

from errors import ConfigurationError


def bound(host: str, port: int, variable: str = "PORT") -> socket.socket:
    """A socket with the address, on which nobody listens yet: who comes before the server is ready is refused.

    `variable`: the setting of the port. Raises ConfigurationError where the address cannot be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise ConfigurationError(f"HOST: {host!r} is no address of this machine") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        in_use = error.errno == errno.EADDRINUSE
        why = f"is in use; choose another with --port or {variable}" if in_use else f"cannot be used: {error.strerror}"
        raise ConfigurationError(f"port {port} on {host} {why}") from error
    return listener


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
