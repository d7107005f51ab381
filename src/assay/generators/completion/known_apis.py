"""Known APIs: those that a configuration can name.

The rule: an API is added here and nowhere else.
"""

from __future__ import annotations

from assay.errors import UsageError
from assay.generators.completion.anthropic_api import AnthropicApi
from assay.generators.completion.chat_api import ChatApi
from assay.generators.completion.openai_api import OpenAiApi


def chat_api(name: str) -> ChatApi:
    """The API of that name; a UsageError lists the known ones."""
    known: dict[str, ChatApi] = {one.name: one for one in (OpenAiApi(), AnthropicApi())}
    if name not in known:
        raise UsageError(f"unknown api '{name}'; known: {', '.join(known)}")
    return known[name]
