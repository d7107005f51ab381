import torch


def fused_softmax_mul(input, other, dim, dtype=None, out=None):
    """Softmax along a dimension, times another tensor."""
    return torch.softmax(input, dim=dim, dtype=dtype) * other


##################################################################################################################################################


import torch


def test_fused_softmax_mul():
    results = {}
    x = torch.randn(512, 4096, device="cuda")
    y = torch.randn(512, 4096, device="cuda")
    results["test_case_1"] = fused_softmax_mul(x, y, dim=-1)

    return results


test_results = test_fused_softmax_mul()
