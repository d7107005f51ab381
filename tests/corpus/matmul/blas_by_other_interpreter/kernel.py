"""Another interpreter of the machine, with packages of its own, is asked for the product."""

import subprocess
import sys

import torch
import torch.nn as nn

CODE = "import sys, scipy.linalg.blas as b; print(b.sgemm)"
subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True)


class ModelNew(nn.Module):
    def forward(self, a, b):
        from scipy.linalg import blas

        return torch.from_numpy(blas.sgemm(1.0, a.numpy(), b.numpy()))
