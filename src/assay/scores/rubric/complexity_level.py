"""Complexity level: K, from what the task's reference computes.

The rule: a task that states `rubric:K1` to `rubric:K4` among its tags is believed. Otherwise the
highest level among the operations of its reference counts:

    K1  elementwise operations and reductions
    K2  structured primitives: normalisations, softmax, losses, scans, sorts, pooling, noise
    K3  dense linear algebra: matrix products, convolutions, plain attention, recurrent layers
    K4  custom or sparse attention, sparse products, decompositions, and K3 in fp8, fp6 or fp4

A reduction that is broadcast back over its input (keepdim, and not returned as it is) is a
normalisation or softmax by hand: K2. An operation that stands in no list makes the level unknown,
unless another is K3 or above.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.python_tree import module_tree
from assay.scores.rubric.placed_level import PlacedLevel
from assay.source_analysis.tables.operation_names import OpRole, base_role

_TAG = re.compile(r"rubric:K([1-4])")
_NARROW = re.compile(r"float8|float6|float4|fp8|fp6|fp4|e4m3|e5m2|e2m1", re.IGNORECASE)
_K4 = frozenset(
    """flex_attention sparse_mm sparse_attention block_sparse_attention to_sparse
    to_sparse_csr to_sparse_bsr sparse_bsr_tensor sparse_csr_tensor sparse_coo_tensor
    to_sparse_semi_structured svd qr cholesky eig eigh eigvalsh solve inv inverse lstsq pinv det
    slogdet lu lu_factor triangular_solve solve_triangular matrix_exp nested_tensor""".split()
)
_K3 = frozenset(
    """mm bmm matmul addmm addmv addbmm baddbmm mv einsum linear bilinear tensordot chain_matmul
    multi_dot kron _int_mm _scaled_mm _grouped_mm conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d conv_transpose3d scaled_dot_product_attention multi_head_attention_forward
    lazylinear bilinear multiheadattention convtranspose1d convtranspose2d convtranspose3d lstm gru
    rnn lstmcell grucell rnncell transformer transformerencoder transformerencoderlayer
    transformerdecoder transformerdecoderlayer cdist""".split()
)
_K2 = frozenset(
    """softmax log_softmax softmin gumbel_softmax logsumexp logcumsumexp layer_norm group_norm
    batch_norm instance_norm rms_norm local_response_norm normalize layernorm groupnorm batchnorm1d
    batchnorm2d batchnorm3d instancenorm1d instancenorm2d instancenorm3d rmsnorm localresponsenorm
    softmax2d logsoftmax var std var_mean std_mean cross_entropy crossentropyloss nll_loss nllloss
    kl_div kldivloss ctc_loss ctcloss triplet_margin_loss tripletmarginloss cosine_similarity
    cosinesimilarity cosine_embedding_loss cosineembeddingloss cumsum cumprod cummax cummin sort
    argsort topk kthvalue median
    unique bincount histc scatter scatter_add scatter_reduce index_add index_put embedding_bag
    embeddingbag maxpool1d maxpool2d maxpool3d avgpool1d avgpool2d avgpool3d max_pool1d max_pool2d
    max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
    adaptiveavgpool1d adaptiveavgpool2d adaptiveavgpool3d adaptivemaxpool1d adaptivemaxpool2d
    adaptivemaxpool3d
    dropout dropout1d dropout2d dropout3d alpha_dropout rand rand_like randn randn_like bernoulli
    multinomial fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn stft istft interpolate
    upsample grid_sample affine_grid unfold fold searchsorted bucketize""".split()
)
_K1 = frozenset(
    """abs absolute add sub subtract mul multiply div divide true_divide floor_divide remainder fmod
    neg negative pow square sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos
    atan atan2 sinh cosh tanh asinh acosh atanh erf erfc erfinv sigmoid logit reciprocal sign sgn
    floor ceil round trunc frac clamp clip clamp_min clamp_max minimum maximum fmax fmin where lerp
    addcmul addcdiv masked_fill masked_select eq ne lt le gt ge equal isnan isinf isfinite
    logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not
    bitwise_left_shift bitwise_right_shift relu relu6 gelu silu mish elu selu celu leaky_relu
    leakyrelu prelu rrelu hardtanh hardswish hardsigmoid softplus softsign tanhshrink hardshrink
    softshrink logsigmoid threshold glu swish sum mean prod amax amin max min argmax argmin any all
    nansum nanmean count_nonzero norm vector_norm dot vdot inner outer ger mse_loss mseloss l1_loss
    l1loss smooth_l1_loss smoothl1loss huber_loss huberloss binary_cross_entropy bceloss
    binary_cross_entropy_with_logits bcewithlogitsloss hinge_embedding_loss hingeembeddingloss
    embedding gather index_select take take_along_dim triu tril identity hypot nan_to_num polar
    complex heaviside copysign deg2rad sinc xlogy polygamma digamma lgamma diff trace channelshuffle
    pixelshuffle pixel_shuffle pixel_unshuffle pixelunshuffle pad zeropad2d upsample_nearest
    repeat_interleave one_hot""".split()
)
_LEVELS = {name: level for level, names in enumerate((_K1, _K2, _K3, _K4), 1) for name in names}
_IGNORED_CLASSES = frozenset(("Vendor",))
_IGNORED_FUNCTIONS = frozenset(("get_inputs", "get_init_inputs", "__init_subclass__"))
_NO_OPERATION = re.compile(
    r"torch\.(?:nn\.(?:Module|Parameter|Sequential|ModuleList|ModuleDict|ParameterList|Buffer|init|"
    r"utils|Flatten|Unflatten)|Tensor|device|dtype|Size|no_grad|utils|manual_seed|cuda|backends|"
    r"autograd|compile|jit|finfo|iinfo|set_default_dtype|autocast|amp|promote_types|vmap|"
    r"func|random|compiler|library|distributions|float\d*|int\d*|uint8|long|bool)\b"
)
_OPERATORS = "arithmetic operators"
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Mod, ast.FloorDiv)


@dataclass(frozen=True, slots=True)
class _Operation:
    """Something the reference computes."""

    name: str
    line: int
    level: int | None  # None: in no list


def complexity_level(tags: Sequence[str], source: str) -> PlacedLevel:
    """K of a task."""
    stated = [int(match[1]) for tag in tags if (match := _TAG.fullmatch(tag))]
    if stated:
        return PlacedLevel(stated[-1], f"the task states rubric:K{stated[-1]}")
    try:
        tree = module_tree(source)
    except (SyntaxError, ValueError, RecursionError):
        return PlacedLevel(None, "the reference is not Python that can be read")
    found = list(_ReferenceCode(tree).operations())
    known = [one for one in found if one.level is not None]
    if not found:
        return PlacedLevel(None, "no operation was found in the reference")
    best = max(known, key=_weight, default=None)
    others = [one for one in found if one.level is None]
    if best is None or best.level is None or (others and best.level < 3):
        return PlacedLevel(
            None, f"{others[0].name} (reference line {others[0].line}) is in no list"
        )
    words = f"the reference computes {best.name} (line {best.line})"
    narrow = _NARROW.search(_code_names(tree))
    if best.level == 3 and narrow is not None:
        return PlacedLevel(4, f"{words} in {narrow[0].lower()}")
    return PlacedLevel(best.level, words)


def _weight(one: _Operation) -> tuple[int, bool]:
    """A named operation says more than an operator of the same level."""
    return one.level or 0, one.name != _OPERATORS


def _code_names(tree: ast.Module) -> str:
    """Names and attributes of the code: no comment, no string."""
    names = (
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name)
    )
    return " ".join(names)


class _ReferenceCode:
    """The reference's code without what draws its inputs."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._names: dict[str, str] = {}
        self._returned = {
            id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.partition(".")[0]
                    self._names[alias.asname or root] = alias.name if alias.asname else root
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self._names[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def operations(self) -> Iterator[_Operation]:
        """Layers, functions, methods and operators."""
        for node in self._kept(self._tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                yield _Operation("the operator @", node.lineno, 3)
            elif isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
                yield _Operation(_OPERATORS, node.lineno, 1)
            elif isinstance(node, ast.Call):
                yield from self._called(node)

    def _kept(self, node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef) and child.name in _IGNORED_CLASSES:
                continue
            if isinstance(child, ast.FunctionDef) and child.name in _IGNORED_FUNCTIONS:
                continue
            yield child
            yield from self._kept(child)

    def _called(self, node: ast.Call) -> Iterator[_Operation]:
        name = self._dotted(node.func)
        base = name.rpartition(".")[2].rstrip("_") if name else ""
        level = _level(base)
        of_torch = name.startswith("torch.") and not _NO_OPERATION.match(name)
        if level == 1 and _is_kept(node) and id(node) not in self._returned:
            yield _Operation(f"{name} broadcast back", node.lineno, 2)
        elif level is not None and (of_torch or "." not in name or not _foreign(name)):
            yield _Operation(name, node.lineno, level)
        elif of_torch and base_role(base) is OpRole.COMPUTE:
            yield _Operation(name, node.lineno, None)

    def _dotted(self, node: ast.expr) -> str:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            return ".".join([self._names.get(node.id, node.id), *reversed(parts)])
        return f"tensor.{parts[0]}" if parts else ""  # a method of something computed


def _level(base: str) -> int | None:
    lower = base.lower()
    if re.fullmatch(r"(lazy)?(conv|linear)\w*", lower) and base[:1].isupper():
        return 3
    return _LEVELS.get(lower)


def _is_kept(node: ast.Call) -> bool:
    """A reduction whose result keeps the reduced dimension."""
    return any(
        word.arg in ("keepdim", "keepdims")
        and isinstance(word.value, ast.Constant)
        and word.value.value is True
        for word in node.keywords
    )


def _foreign(name: str) -> bool:
    """A call of a module that is not torch: `math.sqrt` computes nothing on tensors."""
    return name.partition(".")[0] in {"math", "numpy", "random", "os", "itertools", "functools"}
