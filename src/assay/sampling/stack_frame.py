"""Frame: a thread, or one of its callers, on the stack as it was read.

The rule: a frame is found by the tables of the code it is in. A word on the stack that merely looks
like a return address may be what an earlier call left there: those are many, always the same, and
taking them for callers shows library calls that are not and hides ones that are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.sampling.unwind_table import DwarfReader, Rule, Unknown

_ADDRESS_BITS = (1 << 48) - 1  # above them some processors sign return addresses
_BREG, _DEREFERENCE, _PLUS = range(0x70, 0x90), 0x06, 0x23


@dataclass(frozen=True)
class StackFrame:
    """Registers in DWARF's numbers, of a thread or of one of its callers, and the stack."""

    pc: int
    stack_pointer: int
    registers: Mapping[int, int]
    base: int  # address of the first word of the stack
    stack: npt.NDArray[np.uint64]

    def caller(self, rule: Rule, stack_register: int) -> StackFrame:
        """One frame out. Raises Unknown where the stack that was read does not reach."""
        if rule.expression:
            top = self._evaluate(rule.expression, [])
        else:
            known = {**self.registers, stack_register: self.stack_pointer}
            if rule.register not in known:
                raise Unknown("a frame that begins at a register of nobody")
            top = known[rule.register] + rule.offset
        saved = {
            register: self._word(self._place(where, top)) for register, where in rule.saved.items()
        }
        registers = {**self.registers, **saved}
        if rule.return_register not in registers or top <= self.stack_pointer - 8:
            raise Unknown("no return address")
        pc = registers[rule.return_register] & _ADDRESS_BITS
        return StackFrame(pc, top, registers, self.base, self.stack)

    def _place(self, where: int | bytes, top: int) -> int:
        return top + where if isinstance(where, int) else self._evaluate(where, [top])

    def _word(self, address: int) -> int:
        index, rest = divmod(address - self.base, 8)
        if rest or not 0 <= index < len(self.stack):
            raise Unknown("beyond the stack that was read")
        return int(self.stack[index])

    def _evaluate(self, expression: bytes, values: list[int]) -> int:
        """The few operations by which compilers describe a realigned stack."""
        reader = DwarfReader(expression, 0)
        while reader.at < len(expression):
            code = reader.u1()
            if code in _BREG and code - _BREG.start in self.registers:
                values.append(self.registers[code - _BREG.start] + reader.sleb())
            elif code == _DEREFERENCE and values:
                values.append(self._word(values.pop()))
            elif code == _PLUS and values:
                values.append(values.pop() + reader.uleb())
            else:
                raise Unknown(f"operation {code:#x}")
        if not values:
            raise Unknown("an empty expression")
        return values[-1]
