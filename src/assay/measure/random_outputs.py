"""Random outputs: the expectation of a task that draws random numbers.

The rule: the reference is run once, for the form of its output; its numbers are nobody's model.
"""

from __future__ import annotations

import torch

from assay.data.contract import Stochastic
from assay.errors import TaskError
from assay.measure.draws import Draws
from assay.measure.evaluations import Arguments
from assay.measure.output_expectation import OutputExpectation


def random_outputs(arguments: Arguments, contract: Stochastic) -> tuple[OutputExpectation, ...]:
    """The one output, and the law it follows given the first input."""
    outputs = arguments.compute(arguments.inputs, arguments.state, False)
    tensors = [v for v in arguments.inputs if isinstance(v, torch.Tensor)]
    if len(outputs.tensors) != 1 or not tensors or outputs.tensors[0].shape != tensors[0].shape:
        law = contract.law.value
        raise TaskError(f"a {law} task returns one tensor of the shape of its first input")
    made, operand = outputs.tensors[0].detach(), tensors[0].detach().double()
    draws = Draws(contract.law, contract.rate, operand, made.dtype)
    expectation = OutputExpectation(
        name=outputs.names[0],
        shape=tuple(made.shape),
        dtype=made.dtype,
        truth=made.double(),
        budget=None,
        reference=made,
        draws=draws,
    )
    return (expectation,)
