"""Functions of a C++ or CUDA source: what each calls, and which library computations are in it.

The rule: only what an entry can reach counts, so an unused function is harmless.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.source_analysis.cpp.cpp_reach import CppReach, cpp_reaches, looked_up, operator_override
from assay.source_analysis.cpp.cpp_tokens import Token, tokenize
from assay.source_analysis.interpreter.tags import Guard, Weight
from assay.source_analysis.tables.operation_names import OpRole, base_role, is_heavy


@dataclass(frozen=True, slots=True)
class CppLibraryCall:
    """A library computation called from C++."""

    name: str
    line: int
    weight: Weight
    guard: Guard


@dataclass(frozen=True, slots=True)
class CppFunction:
    """One function definition."""

    name: str
    line: int
    mentions: frozenset[str]
    library: tuple[CppLibraryCall, ...]
    works: bool  # holds a loop, a launch or element access of its own
    launches: bool  # a CUDA kernel, or the launch of one
    reaches: tuple[CppReach, ...] = ()


@dataclass(frozen=True, slots=True)
class CppUnit:
    """All function definitions of one source."""

    functions: tuple[CppFunction, ...]
    override: CppReach | None = None  # an operator of the library that is replaced

    def reached(self, entries: frozenset[str]) -> tuple[CppFunction, ...]:
        """Functions an entry can reach; all of them where no entry is known by name."""
        by_name: dict[str, list[CppFunction]] = {}
        for function in self.functions:
            by_name.setdefault(function.name, []).append(function)
        queue = [name for name in entries if name in by_name]
        if not queue:
            return self.functions
        seen: set[str] = set()
        while queue:
            name = queue.pop()
            if name not in seen:
                seen.add(name)
                mentioned = (m for function in by_name[name] for m in function.mentions)
                queue += [m for m in mentioned if m in by_name]
        return tuple(f for f in self.functions if f.name in seen)


_BLAS_PREFIXES = (
    "cblas_", "cublas", "cudnn", "cusparse", "cusolver", "cufft", "dnnl_", "mkl_", "LAPACKE_",
    "rocblas_", "hipblas", "miopen", "vDSP_", "arm_compute", "vsExp", "vdExp",
)  # fmt: skip
_BLAS_HARMLESS = ("Create", "Destroy", "SetStream", "SetMathMode", "Handle", "GetStream", "Status")
_FORTRAN_BLAS = frozenset("sgemm_ dgemm_ sgemv_ dgemv_ sdot_ ddot_ saxpy_ sgemm dgemm".split())
_TORCH_PATHS = frozenset(
    """at torch at::native at::cpu at::cuda::native torch::nn::functional torch::linalg
    torch::special
    torch::fft at::redispatch F at::indexing torch::autograd aten at::_ops""".split()
)
_TORCH_FREE = frozenset(
    """parallel_for parallel_reduce get_num_threads set_num_threads globalContext init_num_threads
    in_parallel_region get_thread_num divup check manual_seed getDefaultCPUGenerator tensor
    from_blob toString typeMetaToScalarType elementSize isFloatingType device dtype ceil_div
    scalarTypeToTypeMeta getNumGPUs detail
    round_up""".split()
)
_METHODS = frozenset(
    """mm bmm matmul addmm addmm_ addmv baddbmm mv softmax log_softmax relu sigmoid tanh exp log sum
    mean amax amin norm cumsum pow sqrt rsqrt add_ mul_ sub_ div_ addcmul_ erf layer_norm einsum
    index_select gather scatter_add_ logsumexp var std prod argmax argmin topk sort clamp clamp_min
    relu_ sigmoid_ tanh_ exp_ gelu silu""".split()
)
_WORK = frozenset("for while do goto <<<".split())


def parse_cpp(text: str) -> CppUnit:
    """Read the function definitions of a source; what cannot be read is left out."""
    tokens = tokenize(text)
    bare = _uses_torch_namespace(tokens)
    found = [_function(tokens, span, bare) for span in _spans(tokens)]
    return CppUnit(tuple(found), operator_override(tokens))


@dataclass(frozen=True, slots=True)
class _Span:
    """Token positions of one definition: its name, and its body from brace to brace."""

    name: int
    start: int
    end: int


def _spans(tokens: list[Token]) -> list[_Span]:
    spans: list[_Span] = []
    position = 0
    while position < len(tokens):
        if tokens[position].text == "{":
            name = _name_before(tokens, position)
            if name is not None:
                end = _matching(tokens, position)
                spans.append(_Span(name, position, end))
                position = end
            elif position and tokens[position - 1].text in ("=", ",", "(", "return"):
                position = _matching(tokens, position)
        position += 1
    return spans


def _name_before(tokens: list[Token], brace: int) -> int | None:
    """Position of the function's name where the brace opens a function body."""
    position = brace - 1
    while position >= 0 and tokens[position].text in ("const", "noexcept", "override", "mutable"):
        position -= 1
    for arrow in range(position, max(position - 6, 0), -1):  # a trailing return type
        if tokens[arrow].text == "->":
            position = arrow - 1
    if position < 0 or tokens[position].text != ")":
        return None
    depth = 0
    while position >= 0:
        depth += {")": 1, "(": -1}.get(tokens[position].text, 0)
        if depth == 0:
            break
        position -= 1
    name = position - 1
    if name < 0 or tokens[name].kind != "word" or tokens[name].text in _KEYWORDS:
        return None
    return name


_KEYWORDS = frozenset("if for while switch catch return sizeof namespace __launch_bounds__".split())


def _matching(tokens: list[Token], brace: int) -> int:
    depth = 0
    for position in range(brace, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[position].text, 0)
        if depth == 0:
            return position
    return len(tokens) - 1


def _function(tokens: list[Token], span: _Span, bare: bool) -> CppFunction:
    body = tokens[span.start : span.end + 1]
    words = {token.text for token in body if token.kind == "word"}
    head = {token.text for token in tokens[max(span.name - 12, 0) : span.name]}
    launches = "__global__" in head or any(token.text == "<<<" for token in body)
    works = launches or any(token.text in _WORK for token in body) or "parallel_for" in words
    calls = _library_calls(body, bare)
    title = tokens[span.name]
    return CppFunction(
        title.text, title.line, frozenset(words), calls, works, launches, cpp_reaches(body)
    )


def _uses_torch_namespace(tokens: list[Token]) -> bool:
    texts = [token.text for token in tokens]
    found = (texts[i : i + 3] for i, text in enumerate(texts) if text == "using")
    return any(part[1:2] == ["namespace"] and part[2:] in (["at"], ["torch"]) for part in found)


def _library_calls(body: list[Token], bare: bool) -> tuple[CppLibraryCall, ...]:
    guards = _guards(body)
    found: list[CppLibraryCall] = []
    for position, token in enumerate(body[:-1]):
        called = body[position + 1].text in ("(", "<") or _overload_call(body, position)
        if token.kind == "word" and called:
            name = _library_name(body, position, bare)
            if name:
                heavy = is_heavy(token.text) or ("." not in name and "::" not in name)
                weight = Weight.HEAVY if heavy else Weight.LIGHT
                found.append(CppLibraryCall(name, token.line, weight, guards[position]))
    for symbol, token in looked_up(body):
        guard = guards[body.index(token)]
        found.append(CppLibraryCall(symbol, token.line, Weight.HEAVY, guard))
    return tuple(found)


def _overload_call(body: list[Token], position: int) -> bool:
    """`at::_ops::mm::call(` names the operator two tokens before `call`."""
    return [t.text for t in body[position + 1 : position + 3]] == ["::", "call"]


def _library_name(body: list[Token], position: int, bare: bool) -> str:
    text = body[position].text
    path = _path_before(body, position)
    if path in _TORCH_PATHS:
        free = text in _TORCH_FREE or text[:1].isupper() or base_role(text) is not OpRole.COMPUTE
        return "" if free else f"{path}::{text}"
    if path:
        return ""
    before = body[position - 1].text if position else ""
    if before in (".", "->"):
        return f"Tensor.{text}" if text in _METHODS and body[position + 1].text == "(" else ""
    if text in _FORTRAN_BLAS or text.startswith(_BLAS_PREFIXES):
        return "" if any(part in text for part in _BLAS_HARMLESS) else text
    return f"torch::{text}" if bare and is_heavy(text) and "_" not in text[:1] else ""


def _path_before(body: list[Token], position: int) -> str:
    parts: list[str] = []
    while position >= 2 and body[position - 1].text == "::" and body[position - 2].kind == "word":
        parts.insert(0, body[position - 2].text)
        position -= 2
    return "::".join(parts)


def _guards(body: list[Token]) -> list[Guard]:
    """For each token, under what condition it runs."""
    guards: list[Guard] = []
    blocks: list[Guard] = [Guard.NONE]
    single: Guard | None = None  # a condition over one statement without braces
    position = 0
    while position < len(body):
        text = body[position].text
        if text in ("if", "else", "case", "catch"):
            end, guard = _condition(body, position)
            guards += [blocks[-1]] * (end - position)
            position, single = end, guard
            continue
        if text == "{":
            blocks.append(single if single not in (None, Guard.NONE) and single else blocks[-1])
            single = None
        elif text == "}" and len(blocks) > 1:
            blocks.pop()
        guards.append(single or blocks[-1])
        if text == ";":
            single = None
        position += 1
    return guards


def _condition(body: list[Token], position: int) -> tuple[int, Guard]:
    """End of a condition and what kind it is."""
    end = position + 1
    if end >= len(body) or body[end].text != "(":
        return end, Guard.CONDITION
    depth = 0
    while end < len(body):
        depth += {"(": 1, ")": -1}.get(body[end].text, 0)
        end += 1
        if depth == 0:
            break
    words = {token.text for token in body[position:end]}
    benign = words & {"is_cuda", "is_cpu", "device", "numel", "defined"}
    return end, Guard.BENIGN if benign else Guard.CONDITION
