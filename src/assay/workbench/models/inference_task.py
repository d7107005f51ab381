"""InferenceTask: a model's file as the task that the whole model is judged on.

A judge takes a model in the mode that its constructor leaves it in, which is training mode unless
the constructor says otherwise. Kernels were cut out of, and put back into, the forward of
inference: judged in training mode none of them would run.

The rule: text in, text out. The model is what it was, but constructed it is in inference mode.
"""

from __future__ import annotations

_TASK_ENTRY = "Model"  # of every task in this format
_IN_INFERENCE_MODE = """

# Judged as it was profiled: in inference mode.
_constructed_as_written = {entry}.__init__


def _constructed_for_inference(self, *args, **kwargs):
    _constructed_as_written(self, *args, **kwargs)
    self.eval()


_constructed_for_inference.__wrapped__ = _constructed_as_written  # its signature
{entry}.__init__ = _constructed_for_inference
"""


def inference_text(source: str, entry: str) -> str:
    """The task's file.

    By assignment, not by a subclass of the same name: `super(Model, self)` would find that one.
    """
    made = source.rstrip("\n") + "\n" + _IN_INFERENCE_MODE.format(entry=entry)
    return made if entry == _TASK_ENTRY else f"{made}{_TASK_ENTRY} = {entry}\n"
