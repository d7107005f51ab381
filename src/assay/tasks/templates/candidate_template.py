"""CandidateTemplate: a candidate of a task, in each language, to be filled in.

The rule: constructor, arguments, dtypes and output shapes are those of the task, and the file
builds as it is. In a kernel language it writes zeros, which no sound task accepts; in Python it is
the reference itself, which only `--track open` accepts.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.data.task import Task
from assay.errors import UsageError
from assay.tasks.templates.c_kernels import binding_text, cpp_text, cuda_text
from assay.tasks.templates.candidate_call import CandidateCall
from assay.tasks.templates.class_text import ClassText, reference_text


def candidate_template(task: Task, language: str) -> str:
    """The text of the file."""
    if language == "python":
        return _python(task)
    return _LANGUAGES[language](task, CandidateCall.of(task), ClassText.of(task))


def _head(task: Task, words: str) -> str:
    return f'"""A candidate of the task {task.id}, {words}.\n\n{task.title}\n"""\n\n'


def _python(task: Task) -> str:
    head = _head(task, "in Python: the reference itself, for --track open")
    own = f'class ModelNew({task.entry}):\n    """Change what it inherits."""\n'
    return f"{head}{reference_text(task)}\n\n\n{own}"


def _imports(text: ClassText, own: str) -> str:
    """Ours, then those of the task that are not among them, with its helpers."""
    lines = text.before.splitlines()
    kept = [line for line in lines if line not in own.splitlines()]
    return own + ("\n".join(kept).strip() + "\n" if any(kept) else "")


def _class(text: ClassText, forward: str) -> str:
    body = f"{text.body}\n\n" if text.body else ""
    return f"\n\nclass ModelNew({text.bases}):\n{body}{forward}"


def _forward(call: CandidateCall, launch: str) -> str:
    """Check dtypes, make inputs dense, allocate outputs, launch, return."""
    lines = [f"    def forward(self, {', '.join(call.arguments)}):"]
    for one in call.given:
        lines += [
            f"        if {one.name}.dtype != torch.{one.dtype}:",
            f'            raise TypeError("{one.name}: {one.dtype} only")',
        ]
    lines += [f"        {one.name} = {one.expression}.contiguous()" for one in call.given]
    lines += [f"        {one.name} = {one.expression}.detach().contiguous()" for one in call.state]
    device = f"{call.given[0].name}.device" if call.given else '"cpu"'
    for made in call.outputs:
        shape = f"{made.shape}, dtype=torch.{made.dtype}, device={device}"
        lines.append(f"        {made.name} = torch.empty({shape})")
    names = ", ".join(made.name for made in call.outputs)
    return "\n".join([*lines, launch, f"        return {names}\n"])


def _tensors(call: CandidateCall) -> list[str]:
    return [*(one.name for one in (*call.given, *call.state)), *(o.name for o in call.outputs)]


def _counts(call: CandidateCall) -> list[str]:
    return [f"{one.name}.numel()" for one in call.outputs]


def _cpp(task: Task, call: CandidateCall, text: ClassText) -> str:
    own = "import ctypes\nimport subprocess\nfrom pathlib import Path\n\nimport torch\n"
    build = (
        f'\nSOURCE = r"""\n{cpp_text(call)}"""\n'
        'Path("kernel.cpp").write_text(SOURCE)\n'
        'FLAGS = ["-O3", "-march=native", "-std=c++17", "-shared", "-fPIC"]\n'
        'subprocess.run(["g++", *FLAGS, "-o", "kernel.so", "kernel.cpp"], check=True)\n'
        'KERNEL = ctypes.CDLL(str(Path("kernel.so").resolve())).kernel\n'
    )
    launch = (
        f"        pointers = [ctypes.c_void_p(t.data_ptr()) for t in ({_listed(_tensors(call))})]\n"
        f"        counts = [ctypes.c_int64(n) for n in ({_listed(_counts(call))})]\n"
        "        KERNEL(*pointers, *counts)"
    )
    body = _class(text, _forward(call, launch))
    return _head(task, "in C++") + _imports(text, own) + build + body


def _listed(parts: list[str]) -> str:
    return f"{', '.join(parts)}," if len(parts) == 1 else ", ".join(parts)


def _triton(task: Task, call: CandidateCall, text: ClassText) -> str:
    own = "import torch\nimport triton\nimport triton.language as tl\n"
    if "complex64" in call.dtypes:
        raise UsageError(f"{task.id} has complex numbers, which Triton has not: use cpp or cuda")
    pointers = [f"{name}_ptr" for name in _tensors(call)]
    counts = [f"n_{one.name}" for one in call.outputs]
    stores = "".join(
        f"    tl.store({one.name}_ptr + offsets, 0, mask=offsets < n_{one.name})\n"
        for one in call.outputs
    )
    kernel = (
        f"\n\n@triton.jit\ndef kernel({', '.join([*pointers, *counts])}, BLOCK: tl.constexpr):\n"
        "    # Replace the body: it writes zeros.\n"
        f"    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n{stores}"
    )
    most = _counts(call)[0] if len(call.outputs) == 1 else f"max({', '.join(_counts(call))})"
    launch = (
        f"        blocks = triton.cdiv({most}, 4096)\n"
        "        if blocks:\n"
        f"            kernel[(blocks,)]({', '.join([*_tensors(call), *_counts(call)])}, BLOCK=4096)"
    )
    body = _class(text, _forward(call, launch))
    return _head(task, "in Triton") + _imports(text, own) + kernel + body


def _cuda(task: Task, call: CandidateCall, text: ClassText) -> str:
    own = "import torch\nfrom torch.utils.cpp_extension import load_inline\n"
    build = (
        f'\nBINDING = r"""\n{binding_text(call)}"""\n'
        f'SOURCE = r"""\n{cuda_text(call)}"""\n'
        "EXTENSION = load_inline(\n"
        '    "own_kernel", cpp_sources=BINDING, cuda_sources=SOURCE, no_implicit_headers=True\n'
        ")\n"
    )
    launch = (
        f"        addresses = [t.data_ptr() for t in ({_listed(_tensors(call))})]\n"
        "        stream = torch.cuda.current_stream().cuda_stream\n"
        f"        code = EXTENSION.kernel(*addresses, {', '.join(_counts(call))}, stream)\n"
        "        if code:\n"
        '            raise RuntimeError(f"launch failed with CUDA error {code}")'
    )
    body = _class(text, _forward(call, launch))
    return _head(task, "in CUDA C++") + _imports(text, own) + build + body


_LANGUAGES: dict[str, Callable[[Task, CandidateCall, ClassText], str]] = {
    "cpp": _cpp,
    "triton": _triton,
    "cuda": _cuda,
}
LANGUAGES = (*_LANGUAGES, "python")
