"""The headers by which a client goes from page to page."""


def page_headers(*, offset: int, shown: int, total: int) -> dict[str, str]:
    """How many there are in all, and where the next page begins if there is one."""
    following = offset + shown
    return {"X-Pagination-Total": str(total), **next_page(following if shown and following < total else None)}


def next_page(begins_at: object | None) -> dict[str, str]:
    """`begins_at`: None where there is no next page."""
    return {} if begins_at is None else {"X-Pagination-Next": str(begins_at)}
