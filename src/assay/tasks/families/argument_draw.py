"""ArgumentDraw: one annotated argument of a family's function, and the expression that draws it.

The rule: the expression names axes only, so that it follows every other size.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from assay.errors import UsageError
from assay.python_tree import expression_tree

# What a second text of Float means; `{shape}` is a tuple of dimensions.
DOMAINS = {
    "normal": "torch.randn({shape})",
    "positive": "torch.rand({shape}) + 0.5",
    "unit": "torch.rand({shape})",
    "signed unit": "torch.rand({shape}) * 2 - 1",
    "probability": "torch.softmax(torch.randn({shape}), dim=-1)",
    "log probability": "torch.log_softmax(torch.randn({shape}), dim=-1)",
    "weight": "torch.randn({shape}) / {last} ** 0.5",
    "spread": "torch.randn({shape}) * 4",
}
_FIXED = {
    "Half": "torch.randn({shape}).to(torch.float16)",
    "BFloat": "torch.randn({shape}).to(torch.bfloat16)",
    "Complex": "torch.randn({shape}, dtype=torch.complex64)",
    "Code": "torch.randint(-127, 128, {shape}, dtype=torch.int8)",
    "Flag": "torch.rand({shape}) < 0.5",
}
_BOUNDED = {"Index": ("0", 1), "Integer": (None, 2)}  # fixed low bound, texts after the shape
_CASTS = {"float16": ".to(torch.float16)", "bfloat16": ".to(torch.bfloat16)"}


@dataclass(frozen=True)
class ArgumentDraw:
    """A tensor argument: its word, the text of its dimensions, and further texts."""

    name: str
    word: str
    texts: tuple[str, ...]

    @staticmethod
    def of(name: str, annotation: ast.expr | None, where: str) -> ArgumentDraw | None:
        """None where the argument is not annotated with a word: it keeps its default."""
        if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.value, ast.Name):
            return None
        parts = annotation.slice
        elements = parts.elts if isinstance(parts, ast.Tuple) else [parts]
        texts = [one.value for one in elements if isinstance(one, ast.Constant)]
        if len(texts) != len(elements) or not all(isinstance(text, str) for text in texts):
            raise UsageError(f"{where}: {name}: dimensions and domains are texts in quotes")
        made = ArgumentDraw(name, annotation.value.id, tuple(map(str, texts)))
        made.expression("float32", where)  # a mistake is told when the file is read
        return made

    def expression(self, dtype: str, where: str) -> str:
        """Python that draws it, where floats are of `dtype`."""
        if self.word == "Expression":
            return self.texts[0]
        dims = self.texts[0].split()
        shape = f"({dims[0]},)" if len(dims) == 1 else f"({', '.join(dims)})"
        last = dims[-1] if dims else "1"
        if self.word == "Float":
            domain = self.texts[1] if len(self.texts) > 1 else "normal"
            if domain not in DOMAINS:
                raise UsageError(f"{where}: {self.name}: '{domain}' is none of {sorted(DOMAINS)}")
            drawn = DOMAINS[domain].format(shape=shape, last=_in_brackets(last))
            return f"({drawn}){_CASTS[dtype]}" if dtype in _CASTS else drawn
        if self.word in _BOUNDED:
            low, count = _BOUNDED[self.word]
            if len(self.texts) != 1 + count:
                raise UsageError(f"{where}: {self.name}: {self.word} has {count} bounds")
            return f"torch.randint({low or self.texts[1]}, {self.texts[-1]}, {shape})"
        if self.word not in _FIXED:
            known = sorted(["Float", "Expression", *_BOUNDED, *_FIXED])
            raise UsageError(f"{where}: {self.name}: '{self.word}' is none of {known}")
        return _FIXED[self.word].format(shape=shape)

    def names(self, where: str) -> frozenset[str]:
        """Names that its expression reads."""
        return _names_of(self.expression("float32", where))


@cache
def _names_of(expression: str) -> frozenset[str]:
    tree = expression_tree(expression)
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _in_brackets(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"
