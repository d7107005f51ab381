"""A small assembler in Python writes the loop for x86-64 or aarch64, unrolled as often as asked."""

import ctypes
import mmap
import platform
import struct

import torch
import torch.nn as nn

LANES = 4  # running sums in registers


def emit_x86_64():
    """rdi a, rsi b, rdx sums, rcx rounds: sums[lane] += (a - b) * (a - b), LANES vectors a round."""
    code = b""
    for lane in range(LANES):
        code += bytes([0x0F, 0x57, 0xC0 | lane << 3 | lane])  # xorps lane, lane
    top = len(code)
    code += b"\x48\x85\xc9"  # test rcx, rcx
    leave = len(code)
    code += b"\x0f\x84" + bytes(4)  # jz end
    for lane in range(LANES):
        code += bytes([0x0F, 0x10, 0x67, 16 * lane])  # movups xmm4, [rdi + 16 lane]
        code += bytes([0x0F, 0x10, 0x6E, 16 * lane])  # movups xmm5, [rsi + 16 lane]
        code += b"\x0f\x5c\xe5" + b"\x0f\x59\xe4"  # subps xmm4, xmm5; mulps xmm4, xmm4
        code += bytes([0x0F, 0x58, 0xC4 | lane << 3])  # addps lane, xmm4
    code += bytes([0x48, 0x83, 0xC7, 16 * LANES, 0x48, 0x83, 0xC6, 16 * LANES])  # add rdi, rsi
    code += b"\x48\xff\xc9"  # dec rcx
    code += b"\xe9" + struct.pack("<i", top - len(code) - 5)  # jmp top
    code = code[: leave + 2] + struct.pack("<i", len(code) - leave - 6) + code[leave + 6 :]
    for lane in range(LANES):
        code += bytes([0x0F, 0x11, 0x42 | lane << 3, 16 * lane])  # movups [rdx + 16 lane], lane
    return code + b"\xc3"


def emit_aarch64():
    """x0 a, x1 b, x2 sums, x3 rounds."""
    words = [0x4F000400 | lane for lane in range(LANES)]  # movi v.4s, #0
    top = len(words)
    leave = len(words)
    words.append(0)  # cbz x3, end
    for lane in range(LANES):
        words += [0x3CC10404, 0x3CC10425]  # ldr q4, [x0], #16; ldr q5, [x1], #16
        words += [0x4EA5D484, 0x4E24CC80 | lane]  # fsub v4, v4, v5; fmla lane, v4, v4
    words.append(0xD1000463)  # sub x3, x3, #1
    words.append(0x14000000 | (top - len(words)) & 0x3FFFFFF)  # b top
    words[leave] = 0xB4000003 | (len(words) - leave) << 5
    words += [0x3C810440 | lane for lane in range(LANES)]  # str q, [x2], #16
    return b"".join(struct.pack("<I", word) for word in [*words, 0xD65F03C0])


CODE = {"x86_64": emit_x86_64, "aarch64": emit_aarch64}[platform.machine()]()
PAGE = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
PAGE.write(CODE)
PLACE = ctypes.addressof(ctypes.c_char.from_buffer(PAGE))
if platform.machine() == "aarch64":
    ctypes.CDLL("libgcc_s.so.1").__clear_cache(ctypes.c_void_p(PLACE), ctypes.c_void_p(PLACE + len(CODE)))
RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_long)(PLACE)
BLOCK = 4 * LANES  # elements of a round
PART = BLOCK * 256  # elements after which the sums are put aside, in float64


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32 or a.shape != b.shape:
            raise TypeError("this kernel takes two float32 tensors of one shape")
        a, b = a.contiguous(), b.contiguous()
        sums = (ctypes.c_float * BLOCK)()
        rest = (ctypes.c_float * (2 * BLOCK))()
        total, count = 0.0, a.numel()
        if count == 0:
            return torch.full((), float("nan"))
        for start in range(0, count - count % BLOCK, PART):
            rounds = min(PART, count - count % BLOCK - start) // BLOCK
            RUN(a.data_ptr() + 4 * start, b.data_ptr() + 4 * start, ctypes.addressof(sums), rounds)
            total += sum(sums)
        tail = count % BLOCK
        ctypes.memmove(rest, a.data_ptr() + 4 * (count - tail), 4 * tail)
        ctypes.memmove(ctypes.addressof(rest) + 4 * BLOCK, b.data_ptr() + 4 * (count - tail), 4 * tail)
        RUN(ctypes.addressof(rest), ctypes.addressof(rest) + 4 * BLOCK, ctypes.addressof(sums), 1)
        return torch.full((), (total + sum(sums)) / count)
