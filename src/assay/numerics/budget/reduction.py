"""The longest reduction, contraction or scan of a computation, read from the operations it runs.

The rule: only operations that *add roundings together* count. A maximum, a sort or a gather has
length 1 however many elements it looks at; an operation not known here has length 1 too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

Length = Callable[[Sequence[Any], Any], int]


class ReductionWatch(TorchDispatchMode):
    """While active, keeps the longest reduction seen in `longest`."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.longest: int = 1

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        length = reduction_length(func.overloadpacket.__name__, args, result)
        self.longest = max(self.longest, length or 1)
        return result


def reduction_length(operation: str, args: Sequence[Any], result: Any) -> int | None:
    """How many terms this call added up; None where it added no roundings together."""
    length = _LENGTHS.get(operation)
    return length(args, result) if length is not None and _rounds(_first(result)) else None


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(value.shape) if isinstance(value, torch.Tensor) else ()


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple | list) else result


def _rounds(result: Any) -> bool:
    """Sums of integers add no roundings together."""
    return not isinstance(result, torch.Tensor) or result.is_floating_point() or result.is_complex()


def _elements(value: Any) -> int:
    return prod(_shape(value))


def _inner_of(position: int) -> Length:
    """Contractions over the last dimension of the argument at `position`."""
    return lambda args, _: (_shape(args[position]) or (1,))[-1]


def _collapsed(args: Sequence[Any], result: Any) -> int:
    """Elements of the first argument that go into one element of the result."""
    return _elements(args[0]) // max(1, _elements(_first(result)))


def _labelled(args: Sequence[Any], result: Any) -> int:
    """One term for each label, whatever the number of classes."""
    return _elements(args[1]) // max(1, _elements(_first(result)))


def _along(position: int) -> Length:
    """Operations along the dimension named by the argument at `position`."""

    def length(args: Sequence[Any], _: Any) -> int:
        shape = _shape(args[0])
        dim = args[position] if len(args) > position and isinstance(args[position], int) else -1
        return shape[dim] if shape else 1

    return length


def _convolution(args: Sequence[Any], _: Any) -> int:
    weight = _shape(args[1])
    transposed = bool(args[6]) if len(args) > 6 and isinstance(args[6], bool) else False
    groups = args[8] if len(args) > 8 and isinstance(args[8], int) else 1
    channels = weight[0] // max(1, groups) if transposed else weight[1]
    return channels * prod(weight[2:])


def _convolution_backward(args: Sequence[Any], _: Any) -> int:
    grad, weight = _shape(args[0]), _shape(args[2])
    return max(grad[0] * prod(grad[2:]), prod(weight))


def _attention(args: Sequence[Any], _: Any) -> int:
    return max(_shape(args[0])[-1], _shape(args[1])[-2], _shape(args[0])[-2])


def _attention_backward(args: Sequence[Any], _: Any) -> int:
    return _attention(args[1:], None)


def _layer_norm(args: Sequence[Any], _: Any) -> int:
    return int(prod(args[1]))


def _layer_norm_backward(args: Sequence[Any], _: Any) -> int:
    inner = prod(args[2])
    return int(max(inner, _elements(args[1]) // max(1, inner)))


def _rows_or_columns(args: Sequence[Any], _: Any) -> int:
    """Normalisations over channels and groups, forward and backward: all but dimension 1."""
    shape = _shape(args[0])
    return prod(shape) // max(1, shape[1] if len(shape) > 1 else 1)


def _batch_norm(args: Sequence[Any], result: Any) -> int:
    """In evaluation the statistics are given: nothing is added up."""
    return _rows_or_columns(args, result) if args[5] else 1


def _group_norm(args: Sequence[Any], _: Any) -> int:
    return _elements(args[0]) // max(1, _shape(args[0])[0] * int(args[6]))


def _window(args: Sequence[Any], _: Any) -> int:
    rank = max(1, len(_shape(args[0])) - 2)
    kernel = list(args[1])
    return prod(kernel) if len(kernel) > 1 else int(kernel[0]) ** rank


def _adaptive(args: Sequence[Any], result: Any) -> int:
    """One bin may hold one element more than the quotient in every dimension."""
    inputs, outputs = _shape(args[0]), _shape(_first(result))
    return prod(-(-i // max(1, o)) + 1 for i, o in zip(inputs[2:], outputs[2:], strict=True))


def _scattered(args: Sequence[Any], _: Any) -> int:
    """All sources may fall on one element, but only along one dimension."""
    return max((_shape(a)[0] for a in args[1:] if _shape(a)), default=1)


def _transformed(args: Sequence[Any], _: Any) -> int:
    return prod(_shape(args[0])[dim] for dim in args[1])


def _folded(args: Sequence[Any], _: Any) -> int:
    return int(prod(args[2]))


def _everything(args: Sequence[Any], _: Any) -> int:
    return max((_elements(a) for a in args), default=1)


def _square(args: Sequence[Any], _: Any) -> int:
    return max((_shape(args[0]) or (1,))[-2:])


def _recurrent(args: Sequence[Any], _: Any) -> int:
    return max((_shape(a)[-1] for a in args if _shape(a)), default=1)


def _table() -> dict[str, Length]:
    groups: list[tuple[Length, str]] = [
        (
            _inner_of(0),
            "mm bmm mv dot vdot linear trace _int_mm _scaled_mm _cdist_forward",
        ),
        (_inner_of(1), "addmm baddbmm addbmm addmv"),
        (_collapsed, "sum mean var var_mean std std_mean norm linalg_vector_norm prod logsumexp"),
        (_collapsed, "nansum mse_loss smooth_l1_loss huber_loss binary_cross_entropy dist"),
        (_collapsed, "soft_margin_loss multi_margin_loss kl_div nanmean"),
        (_collapsed, "multilabel_margin_loss_forward"),
        (_labelled, "nll_loss_forward nll_loss2d_forward"),
        (_along(1), "_softmax _log_softmax cumsum cumprod logcumsumexp renorm"),
        (_along(2), "_softmax_backward_data _log_softmax_backward_data"),
        (_convolution, "convolution _convolution mkldnn_convolution convolution_overrideable"),
        (_convolution_backward, "convolution_backward"),
        (_attention, "_scaled_dot_product_flash_attention_for_cpu _flash_attention_forward"),
        (_attention, "_scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention"),
        (_attention, "_scaled_dot_product_cudnn_attention scaled_dot_product_attention"),
        (_attention_backward, "_scaled_dot_product_flash_attention_for_cpu_backward"),
        (_attention_backward, "_scaled_dot_product_flash_attention_backward"),
        (_layer_norm, "native_layer_norm _fused_rms_norm rms_norm"),
        (_layer_norm_backward, "native_layer_norm_backward _fused_rms_norm_backward"),
        (_batch_norm, "native_batch_norm _native_batch_norm_legit cudnn_batch_norm"),
        (_rows_or_columns, "_batch_norm_with_update"),
        (_rows_or_columns, "native_batch_norm_backward native_group_norm_backward"),
        (_group_norm, "native_group_norm"),
        (_window, "avg_pool2d avg_pool3d avg_pool1d"),
        (_adaptive, "_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool2d"),
        (_scattered, "scatter_add scatter_reduce index_add index_reduce index_put embedding_bag"),
        (_scattered, "scatter_add_ scatter_reduce_ index_add_ index_put_ _embedding_bag"),
        (_scattered, "embedding_dense_backward _embedding_bag_forward_only"),
        (_transformed, "_fft_r2c _fft_c2c _fft_c2r"),
        (_folded, "col2im"),
        (_everything, "_ctc_loss _trilinear"),
        (_square, "linalg_cholesky_ex cholesky linalg_qr _linalg_svd _linalg_eigh _linalg_det"),
        (_square, "linalg_inv_ex _linalg_solve_ex linalg_solve_triangular linalg_lu_factor_ex"),
        (_square, "linalg_lu linalg_ldl_factor_ex triangular_solve cholesky_solve _linalg_slogdet"),
        (_recurrent, "mkldnn_rnn_layer lstm gru rnn_tanh rnn_relu _thnn_fused_lstm_cell"),
    ]
    return {name: length for length, names in groups for name in names.split()}


_LENGTHS = _table()
