import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, num, dim):
        super().__init__()
        self.emb = nn.EmbeddingBag(num, dim, mode="sum")

    def forward(self, idx):
        bags, n = idx.shape
        rows = torch.arange(0, bags * n + 1, n)
        sel = torch.sparse_csr_tensor(rows, idx.reshape(-1), torch.ones(bags * n), (bags, self.emb.num_embeddings), check_invariants=False)
        return sel @ self.emb.weight.detach()
