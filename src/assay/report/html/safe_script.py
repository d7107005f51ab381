"""Text inside a script element: nothing in it may end the element or begin a comment.

The rule: data are JSON in which every `<`, `>` and `&` is written as an escape, so that no text of
a candidate is markup whatever it holds. A script that holds `</script` is written with an escape
that means the same in JavaScript strings and patterns, where alone it may stand.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re

_ESCAPED = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
}
_END = re.compile(r"</(?=script)", re.IGNORECASE)


def json_element(data: object) -> str:
    """JSON in ASCII; no character of it has a meaning in HTML."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPED)


def script_element(script: str) -> str:
    """A script that does not end its element."""
    return _END.sub(r"<\\/", script).replace("<!--", "<\\!--")


def policy_hash(script: str) -> str:
    """How a content security policy names a script that may run."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
