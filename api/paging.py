"""The headers by which a client goes from page to page."""


def page_headers(*, offset: int, shown: int, total: int) -> dict[str, str]:
    """How many there are in all, and where the next page begins if there is one."""
    following = offset + shown
    more = {"X-Pagination-Next": str(following)} if shown and following < total else {}
    return {"X-Pagination-Total": str(total), **more}
