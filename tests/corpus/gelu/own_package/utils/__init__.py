from .launch import gelu_rows

__all__ = ["gelu_rows"]
