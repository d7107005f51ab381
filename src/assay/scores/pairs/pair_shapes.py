"""Pair shapes: pairs as rows that programs for training read.

* `records`: the whole record.
* `sft`: `prompt` and `completion`, lists of messages with `role` and `content`, for supervised
  training. The prompt holds the task, the first source and what was found of it.
* `preference`: `prompt`, `chosen` and `rejected`, lists of messages. The prompt holds the task
  alone, since both sources answer it.

The rule: a row of a trainer's shape holds its messages, and `pair`, the id of the record.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from assay.data.scoring.pairs import PairSide, StepOutcome, TrainingPair


class PairShape(StrEnum):
    """How a pair is written."""

    RECORDS = "records"
    SFT = "sft"
    PREFERENCE = "preference"


def shaped(pair: TrainingPair, shape: PairShape) -> dict[str, Any]:
    """One row."""
    if shape is PairShape.RECORDS:
        return pair.model_dump(mode="json")
    answer = [_message("assistant", _code(pair.after))]
    if shape is PairShape.SFT:
        asked = f"{_task(pair)}\n\n{_found(pair)}"
        return {"pair": pair.id, "prompt": [_message("user", asked)], "completion": answer}
    asked = f"{_task(pair)}\n\nWrite a {pair.after.language} kernel that is right and fast."
    return {
        "pair": pair.id,
        "prompt": [_message("user", asked)],
        "chosen": answer,
        "rejected": [_message("assistant", _code(pair.before))],
    }


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _task(pair: TrainingPair) -> str:
    if not pair.task_source:
        return f"Task {pair.task}."
    what = "published test" if pair.claimed else "reference"
    return f"Task {pair.task}. Its {what}:\n\n{_block(pair.task_source)}"


def _found(pair: TrainingPair) -> str:
    return f"{_judged(pair)}\n\n{_code(pair.before)}"


def _judged(pair: TrainingPair) -> str:
    """What is known of the first source, and what is asked for."""
    side = pair.before
    if pair.kind is StepOutcome.ERROR_CORRECTION:
        said = side.error.text if side.error else ""
        stage = side.error.stage if side.error else side.status
        why = f"{stage}: {said}" if said else stage
        return f"This {side.language} kernel fails ({why}). Correct it."
    times = "" if side.latency_us is None else f" and takes {side.latency_us:.4g} us"
    if side.speedup is not None:
        times += f", {side.speedup:.3g} times as fast as the baseline"
    return f"This {side.language} kernel is right{times}. Make it faster."


def _code(side: PairSide) -> str:
    """The sources; the name of each where there are several."""
    if len(side.sources) == 1:
        return _block(side.sources[0].text)
    return "\n\n".join(f"{one.path}\n\n{_block(one.text)}" for one in side.sources)


def _block(text: str) -> str:
    """A fenced block whose fence the text does not hold."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.rstrip()}\n{fence}"
