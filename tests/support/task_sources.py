"""Task sources in KernelBench format that stretch the reader: one string each."""

from __future__ import annotations

from assay.data.task import Task

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

BATCHNORM = """
class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm1d(features)
    def forward(self, x):
        return self.bn(x)
batch = 32
features = 24
def get_inputs():
    return [torch.randn(batch, features)]
def get_init_inputs():
    return [features]
"""

EMBEDDING = """
class Model(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.table = nn.Embedding(vocab, dim, padding_idx=0)
    def forward(self, ids):
        return self.table(ids)
vocab = 100
width = 32
batch = 8
length = 12
def get_inputs():
    return [torch.randint(0, vocab, (batch, length))]
def get_init_inputs():
    return [vocab, width]
"""

TUPLE_OUTPUT = """
class Model(nn.Module):
    def forward(self, x, k):
        top, index = torch.topk(x, k, dim=-1)
        return {"best": (top, index), "sum": x.sum(-1)}
rows, cols = 16, 64
def get_inputs():
    return [torch.rand(rows, cols), 3]
def get_init_inputs():
    return []
"""

LITERALS = """
class Model(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out)
    def forward(self, x, y):
        return self.fc(x) + y
def get_inputs():
    torch.manual_seed(42)
    return [torch.randn(16, 48), torch.randn(16, 20)]
def get_init_inputs():
    return [48, 20]
"""

HEADS = """
class Model(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        assert dim % heads == 0
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).split(d, dim=-1)
        q, k, v = (u.view(b, t, self.heads, d // self.heads).transpose(1, 2) for u in (q, k, v))
        a = torch.softmax(q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5, dim=-1)
        return (a @ v).transpose(1, 2).reshape(b, t, d)
batch_size = 4
seq_len = 16
n_embd = 96
n_head = 12
def get_inputs():
    return [torch.rand(batch_size, seq_len, n_embd)]
def get_init_inputs():
    return [n_embd, n_head]
"""

DERIVED = """
class Model(nn.Module):
    def __init__(self, cin, cout, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))
    def forward(self, x):
        return self.conv(x) + self.bias
batch_size = 4
in_channels = 8
out_channels = 16
height = width = 20
kernel_size = 3
bias_shape = (out_channels, 1, 1)
def get_inputs():
    return [torch.rand(batch_size, in_channels, height, width)]
def get_init_inputs():
    return [in_channels, out_channels, kernel_size, bias_shape]
"""

TRIANGULAR = """
class Model(nn.Module):
    def forward(self, A, S):
        return torch.triu(A @ A), S @ S
N = 64
def get_inputs():
    S = torch.rand(N, N)
    return [torch.triu(torch.rand(N, N)), (S + S.T) / 2]
def get_init_inputs():
    return []
"""

MASKED_LOSS = """
class Model(nn.Module):
    def forward(self, logits, labels, mask):
        losses = F.cross_entropy(logits, labels, ignore_index=7, reduction="none")
        return (losses * mask).sum()
tokens = 128
classes = 50
def get_inputs():
    return [torch.randn(tokens, classes), torch.randint(8, classes, (tokens,)), torch.ones(tokens)]
def get_init_inputs():
    return []
"""

RESIDUAL = """
class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.fc = nn.Linear(features, hidden)
    def forward(self, x):
        return x + self.fc(x)
rows = 8
features = 40
hidden = 40
def get_inputs():
    return [torch.randn(rows, features)]
def get_init_inputs():
    return [features, hidden]
"""

NO_BATCH_LOG = """
class Model(nn.Module):
    def forward(self, x):
        print("noise on stdout")
        return torch.log(x)
n = 128
def get_inputs():
    return [torch.rand(n) + 0.1]
def get_init_inputs():
    return []
"""

EXPONENTIAL = """
class Model(nn.Module):
    def forward(self, x):
        return torch.exp(x)
rows = 64
cols = 128
def get_inputs():
    return [torch.rand(rows, cols)]
def get_init_inputs():
    return []
"""

TURNED = """
class Model(nn.Module):
    def forward(self, x):
        return x.sum(-1)
rows = 64
cols = 128
def get_inputs():
    return [torch.rand(cols, rows).T]
def get_init_inputs():
    return []
"""

SQUARE_IMAGES = """
class Model(nn.Module):
    def __init__(self, channels, out_channels, kernel_size, negative_slope):
        super().__init__()
        self.conv = nn.Conv2d(channels, out_channels, kernel_size, padding=1)
        self.negative_slope = negative_slope
    def forward(self, x):
        return F.leaky_relu(self.conv(x), self.negative_slope)
batch = 4
channels = 8
out_channels = 16
size = 24
kernel_size = 3
negative_slope = 0.1
def get_inputs():
    return [torch.randn(batch, channels, size, size)]
def get_init_inputs():
    return [channels, out_channels, kernel_size, negative_slope]
"""

SQUARE_MATRICES = """
class Model(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.up = nn.Upsample(scale_factor=factor)
    def forward(self, a, b):
        return self.up((a @ b)[None, None])
N = 32
def get_inputs():
    return [torch.rand(N, N), torch.rand(N, N)]
def get_init_inputs():
    return [2.0]
"""

GROUPED = """
class Model(nn.Module):
    def __init__(self, channels, groups, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
    def forward(self, x):
        return self.norm(x)
batch = 4
channels = 48
groups = 6
def get_inputs():
    return [torch.randn(batch, channels, 10, 10)]
def get_init_inputs():
    return [channels, groups, 1e-3]
"""

HUGE = """
class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)
batch = 65536
dim = 393216
def get_inputs():
    return [torch.rand(batch, dim)]
def get_init_inputs():
    return []
"""

DROPOUT = """
class Model(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.drop = nn.Dropout(p)
    def forward(self, x):
        return self.drop(x)
n = 64
def get_inputs():
    return [torch.randn(n, n)]
def get_init_inputs():
    return [0.5]
"""

RECURRENT_STATE = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.randn(8)
        self.seen = []
    def forward(self, x):
        self.hidden = self.hidden + x
        self.seen.append(1)
        return self.hidden * len(self.seen)
def get_inputs():
    return [torch.randn(8)]
def get_init_inputs():
    return []
"""

CASTS = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.tensor([3.0])
    def forward(self, x):
        middle = (x.float() / 3).half()
        total = middle.to(torch.float32) * self.scale + torch.full((1,), 0.1, dtype=torch.float32)
        return total.to(torch.bfloat16)
n = 32
def get_inputs():
    return [torch.randn(n)]
def get_init_inputs():
    return []
"""


def task(body: str, name: str = "sample") -> Task:
    """A task of that body, as the reader would make it."""
    return Task(id=name, format="kernelbench", source=HEAD + body)


NAMED_DIM = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, dim, over):
        super().__init__()
        self.linear = nn.Linear(dim, dim)
        self.over = over

    def forward(self, x):
        return self.linear(x).softmax(self.over)


batch = 16
dim = 48
reduce_dim = 1


def get_inputs():
    return [torch.randn(batch, dim)]


def get_init_inputs():
    return [dim, reduce_dim]
"""

KEPT_EXTREMES = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("peak", torch.zeros(()))
        self.register_buffer("total", torch.zeros(()))
        self.register_buffer("table", torch.tensor([1, 2]))

    def forward(self, x):
        self.peak.copy_(torch.maximum(self.peak, x.max()))
        self.total.add_(x.square().mean())
        return x * self.table.sum()

N = 8

def get_inputs():
    return [torch.randn(N, 4)]

def get_init_inputs():
    return []
"""

LOOP_OVER_TWO = """
class Model(nn.Module):
    def forward(self, x, gate):
        state, out = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            state = gate[:, t] * state + x[:, t]
            out.append(state)
        return torch.stack(out, 1)

def get_inputs():
    return [torch.randn(2, 7, 12), torch.rand(2, 7, 12)]

def get_init_inputs():
    return []
"""
