import torch


def sqrt(input, out=None):
    """Square root of every element."""
    return torch.sqrt(input, out=out)


##################################################################################################################################################


import torch


def test_sqrt():
    results = {}
    x = torch.rand(4096, 4096, device="cuda")
    results["test_case_1"] = sqrt(x)

    return results


test_results = test_sqrt()
