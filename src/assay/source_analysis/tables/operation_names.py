"""What an operation does to data, by its base name, whoever spells it.

`aten.add.Tensor`, `torch.add`, `x.add` and `x.add_` share the base name `add`, so one table serves
the dispatch log and the source analysis. The rule: a name that is in no table computes. A kernel
that is honest needs few library calls, so the harmless ones are listed and the rest are not.
"""

from __future__ import annotations

from enum import StrEnum


class OpRole(StrEnum):
    """What an operation does to data."""

    ALLOCATION = "allocation"
    FILL = "fill"
    VIEW = "view"
    COPY = "copy"
    CAST = "cast"
    BOOKKEEPING = "bookkeeping"
    COMPUTE = "compute"


ALLOCATION = frozenset(
    """empty empty_like empty_strided empty_permuted new_empty new_empty_strided empty_quantized
    new_tensor
    resize resize_as set set_data as_tensor tensor from_numpy frombuffer from_dlpack
    from_blob asarray Tensor FloatTensor LongTensor IntTensor HalfTensor DoubleTensor BoolTensor
    ByteTensor BFloat16Tensor UntypedStorage storage empty_aligned ndarray array
    ascontiguousarray asfortranarray asanyarray copyto as_array fromiter lift lift_fresh
    lift_fresh_copy _empty_strided_cpu _empty_strided_cuda _empty_strided_xpu""".split()
)
CONTENT = frozenset(
    """tensor array fromiter Tensor FloatTensor LongTensor IntTensor HalfTensor DoubleTensor
    BoolTensor ByteTensor BFloat16Tensor""".split()
)
"""Constructors that hold what they are given."""

FILL_VALUE: dict[str, tuple[int, str]] = {
    **dict.fromkeys("full full_like new_full".split(), (1, "fill_value")),
    "scalar_tensor": (0, "s"), "new_tensor": (0, "data"),
}  # fmt: skip
"""Which argument of other constructors their content is: its place and its name."""

FILL = frozenset(
    """zeros zeros_like ones ones_like full full_like new_zeros new_ones new_full zero fill
    fill_diagonal eye scalar_tensor
    arange linspace range native_dropout_seed
    constant constant_ trunc_normal xavier_uniform xavier_normal kaiming_uniform kaiming_normal
    orthogonal manual_seed seed complex_zeros triu_indices tril_indices""".split()
)
RANDOM = frozenset(
    """rand rand_like randn randn_like randint randint_like randperm normal uniform random
    bernoulli exponential geometric cauchy log_normal multinomial""".split()
)
"""Fills of a weight, a seed or a mask in the source; among the calls, the numbers are the work."""

VIEW = frozenset(
    """view view_as reshape reshape_as flatten unflatten ravel squeeze unsqueeze permute transpose
    t T
    mT H mH adjoint swapaxes swapdims moveaxis movedim expand expand_as broadcast_to as_strided
    select narrow slice split split_with_sizes chunk unbind unfold_view diagonal real imag detach
    alias data view_as_real view_as_complex numpy tensor_split hsplit vsplit dsplit atleast_1d
    atleast_2d atleast_3d broadcast_tensors newaxis expand_dims asstrided _unsafe_view
    _reshape_alias requires_grad retain_grad __getitem__ getitem requires_grad_ values indices
    _conj resolve_conj untyped_storage typed_storage _as_subclass lift
    rename refine_names align_to positive reinterpret_cast _reinterpret_tensor
    reinterpret_tensor""".split()
)
COPY = frozenset(
    """clone copy contiguous _to_copy_same cat concat concatenate stack hstack vstack dstack
    column_stack row_stack pin_memory cpu cuda _copy_from share_memory deepcopy repeat tile
    _pin_memory copy_to constant_pad_nd pad index_put_constant flip roll rot90 __setitem__ setitem
    _copy_from_and_resize block_diag select_scatter slice_scatter as_strided_scatter
    unsafe_split _foreach_copy expand_copy view_copy permute_copy transpose_copy""".split()
)
CAST = frozenset(
    """to type type_as float half bfloat16 double int long short char byte bool _to_copy astype
    to_dtype _autocast_to_full_precision _autocast_to_reduced_precision to_dense to_device
    float32 float64 float16 int32 int64 int8 uint8 int16 to_mkldnn cfloat""".split()
)
BOOKKEEPING = frozenset(
    """size sizes stride strides numel nelement dim ndim ndimension shape dtype device layout
    element_size itemsize nbytes storage_offset data_ptr const_data_ptr mutable_data_ptr
    is_contiguous is_cuda is_cpu is_floating_point is_complex is_pinned is_same_size is_set_to
    is_shared is_sparse is_leaf is_inference is_tensor is_storage is_nonzero item tolist
    _local_scalar_dense get_device requires_grad grad grad_fn version _version record_stream
    synchronize options scalar_type sym_size sym_numel sym_stride sym_storage_offset
    sym_constrain_range _assert_async _assert_scalar _assert_tensor_metadata assert_async
    equal_shapes result_type promote_types can_cast finfo iinfo get_default_dtype is_grad_enabled
    set_grad_enabled no_grad enable_grad inference_mode device_count is_available name names
    has_names ctypes flags base dtype_name register_hook backward apply_hook broadcast_shapes
    set_num_threads get_num_threads set_default_dtype set_float32_matmul_precision typename
    profiler Generator Size compiled_with_cxx11_abi is_neg is_conj is_signed unsafe_chunk_sizes
    dense_dim sparse_dim __len__ len hash id print repr dlpack to_dlpack __dlpack__
    __dlpack_device__ coalesce_check nonzero_static_size _is_zerotensor
    _has_compatible_shallow_copy_type
    assert_size_stride assert_alignment
    output_nr names_ register_post_accumulate_grad_hook use_deterministic_algorithms""".split()
)
"""Sizes, types, pointers, checks, settings."""

HEAVY = frozenset(
    """mm bmm matmul addmm addmv addbmm baddbmm addr mv dot vdot inner outer ger einsum linear
    bilinear
    tensordot chain_matmul multi_dot kron _addmm_activation _scaled_mm _int_mm _grouped_mm
    __matmul__ __rmatmul__ _trilinear
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution _convolution
    convolution_overrideable conv_tbc mkldnn_convolution cudnn_convolution thnn_conv2d
    _conv_depthwise2d slow_conv3d slow_conv_transpose2d conv_depthwise3d _slow_conv2d_forward
    scaled_dot_product_attention _scaled_dot_product_flash_attention
    _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_efficient_attention
    _scaled_dot_product_cudnn_attention _scaled_dot_product_attention_math
    multi_head_attention_forward _transformer_encoder_layer_fwd flex_attention
    _native_multi_head_attention
    softmax log_softmax _softmax _log_softmax softmin gumbel_softmax logsumexp
    layer_norm native_layer_norm batch_norm native_batch_norm _native_batch_norm_legit
    _batch_norm_impl_index cudnn_batch_norm instance_norm group_norm native_group_norm rms_norm
    _fused_rms_norm local_response_norm normalize renorm
    relu relu6 gelu silu mish elu selu celu leaky_relu prelu rrelu hardtanh hardswish hardsigmoid
    softplus softsign tanhshrink hardshrink softshrink logsigmoid log_sigmoid_forward glu sigmoid
    swish logit threshold swiglu
    max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d
    adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d max_pool2d_with_indices max_pool3d_with_indices lp_pool1d lp_pool2d
    fractional_max_pool2d _adaptive_avg_pool2d mkldnn_max_pool2d mean_pool
    cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy
    binary_cross_entropy_with_logits cosine_embedding_loss triplet_margin_loss hinge_embedding_loss
    margin_ranking_loss ctc_loss poisson_nll_loss gaussian_nll_loss cosine_similarity
    pairwise_distance cdist pdist cross_entropy_loss nll_loss_forward nll_loss2d_forward
    embedding embedding_bag interpolate upsample grid_sample affine_grid pixel_shuffle
    upsample_bilinear2d upsample_nearest2d upsample_bicubic2d
    lstm gru rnn_tanh rnn_relu lstm_cell gru_cell
    svd qr cholesky eig eigh solve inv inverse lstsq pinv slogdet det lu lu_factor triangular_solve
    cholesky_solve matrix_exp matrix_power matrix_norm vector_norm norm
    fft ifft rfft irfft fft2 ifft2 rfft2 fftn stft istft
    cumprod logcumsumexp im2col col2im fold unfold dropout
    sgemm dgemm cblas_sgemm cblas_dgemm cblas_sgemv cblas_dgemv cblas_sdot cblas_saxpy
    convolve correlate conv""".split()
)
"""Operations that are never bookkeeping: dense algebra, layers, losses, transforms."""

REARRANGEMENT = frozenset(
    """pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle repeat_interleave
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d
    replication_pad3d""".split()
)
"""Operations after which every element of the result is an element of an input: what a task asks
for that consists of them, a few copies between views do too."""

OVERWRITING = frozenset("tril triu index_fill masked_fill".split())
"""Operations that keep the elements of an input and set the others to one value."""

FINISHING = frozenset("logsumexp norm vector_norm matrix_norm".split())
"""Heavy on forward's arguments; over what a kernel left for each block, the end of a reduction in
two stages, like a sum: there size decides."""

_TABLES = (
    (BOOKKEEPING, OpRole.BOOKKEEPING),
    (ALLOCATION, OpRole.ALLOCATION),
    (FILL | RANDOM, OpRole.FILL),
    (VIEW, OpRole.VIEW),
    (COPY, OpRole.COPY),
    (CAST, OpRole.CAST),
)
_ROLES = {name: role for names, role in reversed(_TABLES) for name in names}


def base_role(name: str) -> OpRole:
    """The role of a base name; a trailing underscore (in-place) does not change it."""
    return _ROLES.get(name) or _ROLES.get(name.rstrip("_")) or OpRole.COMPUTE


def called_role(name: str) -> OpRole:
    """The role of an operation that was seen at work: one that draws random numbers computes.

    A seed is one number; a kernel that takes more of them from a library leaves it the work.
    """
    drawn = name in RANDOM or name.rstrip("_") in RANDOM
    return OpRole.COMPUTE if drawn else base_role(name)


def is_heavy(name: str) -> bool:
    """True where the operation cannot be bookkeeping however small its operand."""
    return name in HEAVY or name.rstrip("_") in HEAVY


def finishes_reduction(name: str) -> bool:
    """True where the operation may join what a kernel left of each block."""
    return name.rpartition(".")[2].rstrip("_") in FINISHING
