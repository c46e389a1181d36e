"""URLs of servers, taken apart."""

from __future__ import annotations

from urllib.parse import urlsplit


def split_url(url: str) -> tuple[str, str]:
    """Return scheme and place of a server's URL, such as "http://127.0.0.1:8000", and its path without a "/" behind.

    Raises:
        ValueError: it is none of http or https, has characters that a URL spells otherwise, or a user, a query or a
            fragment; no word of a user is repeated.
    """
    try:
        parts = urlsplit(url)
        place, port = parts.hostname, parts.port
    except (ValueError, AttributeError, TypeError):
        raise ValueError(f"{url!r:.200} is no URL: give one such as http://127.0.0.1:8000") from None
    if parts.scheme not in ("http", "https") or not place:
        raise ValueError(f"{url!r:.200} is no URL of http or https: give one such as http://127.0.0.1:8000")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError(f"{url!r:.200} has characters that a URL spells otherwise: write it in ASCII, blanks as %20")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("a server's URL has no user, no ? and no #: give scheme, host, port and path alone")
    host = f"[{place}]" if ":" in place else place
    return f"{parts.scheme}://{host}{f':{port}' if port is not None else ''}", parts.path.rstrip("/")
