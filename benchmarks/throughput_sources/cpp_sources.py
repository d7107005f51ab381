"""Ten tasks as bare C++ files: eight native ones and two in KernelBench's format."""

from __future__ import annotations

from collections.abc import Mapping

from throughput_sources.generated import Choices, Family, Generated, generated
from throughput_sources.plain_tasks import MISH, UNIT_ROWS

_FILE = """// $name
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>
#include "assay.h"

namespace {
struct View_$name {
  const float* data;
  int64_t row, column;
  explicit View_$name(const assay_tensor& t)
      : data(static_cast<const float*>(t.data)), row(t.stride[0]), column(t.stride[1]) {}
  float at(int64_t r, int64_t c) const { return data[r * row + c * column]; }
};
}  // namespace

$shape
extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  if (inputs[0].ndim != $dims || inputs[0].dtype != ASSAY_F32) return "float32 only";
$body
  return nullptr;
}
"""
_SHAPE = """extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape,
                                    int32_t* ndim, int32_t* dtype) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  %s
  return nullptr;
}
"""
_ROWS = """  const View_{name} x(inputs[0]);
  {type}* out = static_cast<{type}*>(outputs[0].data);
  const int64_t rows = inputs[0].shape[0], columns = inputs[0].shape[1];
{pragma}  for (int64_t r = 0; r < rows; ++r) {{
{row}
  }}"""
_PRAGMA = ("", "#pragma omp parallel for\n", "#pragma omp parallel for schedule(static)\n")


def _rows(choices: Choices, row: str, shape: str = "", kind: str = "float") -> Mapping[str, str]:
    body = _ROWS.format(name=choices.name, pragma=choices.one(*_PRAGMA), row=row, type=kind)
    return {"shape": shape, "dims": "2", "body": body}


def _each(line: str) -> str:
    return f"    for (int64_t c = 0; c < columns; ++c) {line}\n"


def _label(choices: Choices) -> str:
    return choices.one("sum", "total", "acc", "all")


def _gelu(choices: Choices) -> Mapping[str, str]:
    value = choices.one(
        "0.5f * v * (1.0f + std::erf(v * 0.70710678118654752f))",
        "v * (0.5f * (1.0f + std::erf(v * 0.70710678118654752f)))",
    )
    line = f"{{ const float v = x.at(r, c); out[r * columns + c] = {value}; }}"
    return _rows(choices, _each(line))


def _swiglu(choices: Choices) -> Mapping[str, str]:
    value = choices.one("g / (1.0f + std::exp(-g)) * u", "u * (g / (std::exp(-g) + 1.0f))")
    view = f"    const View_{choices.name} up(inputs[1]);\n"
    line = f"{{ const float g = x.at(r, c), u = up.at(r, c); out[r * columns + c] = {value}; }}"
    return _rows(choices, view + _each(line))


def _mish(choices: Choices) -> Mapping[str, str]:
    soft = choices.one("v > 20.0 ? v : std::log1p(std::exp(v))")
    line = f"{{ const double v = x.at(r, c); out[r * columns + c] = v * std::tanh({soft}); }}"
    return _rows(choices, _each(line))


def _row_sum(choices: Choices) -> Mapping[str, str]:
    label = _label(choices)
    row = (
        f"    double {label} = 0.0;\n" + _each(f"{label} += x.at(r, c);") + f"    out[r] = {label};"
    )
    return _rows(choices, row, _SHAPE % "*ndim = 1;")


def _softmax(choices: Choices) -> Mapping[str, str]:
    label, kind = _label(choices), choices.one("double", "float")
    row = "    float top = -std::numeric_limits<float>::infinity();\n"
    row += _each("top = std::max(top, x.at(r, c));")
    row += f"    {kind} {label} = 0;\n"
    row += _each(
        f"{{ const float e = std::exp(x.at(r, c) - top); out[r * columns + c] = e; {label} += e; }}"
    )
    row += _each(f"out[r * columns + c] /= {label};")
    return _rows(choices, row)


def _unit_rows(choices: Choices) -> Mapping[str, str]:
    label = _label(choices)
    row = f"    double {label} = 0.0;\n"
    row += _each(f"{label} += static_cast<double>(x.at(r, c)) * x.at(r, c);")
    row += f"    const double length = std::sqrt({label} + 1e-6);\n"
    return _rows(choices, row + _each("out[r * columns + c] = x.at(r, c) / length;"))


def _row_argmax(choices: Choices) -> Mapping[str, str]:
    label = choices.one("best", "first", "found")
    row = f"    int64_t {label} = 0;\n    float top = x.at(r, 0);\n"
    row += "    for (int64_t c = 1; c < columns && !std::isnan(top); ++c)\n"
    row += "      if (x.at(r, c) > top || std::isnan(x.at(r, c))) {\n"
    row += f"        top = x.at(r, c);\n        {label} = c;\n      }}\n"
    shape = _SHAPE % "*ndim = 1; *dtype = ASSAY_I64;"
    return _rows(choices, row + f"    out[r] = {label};", shape, "int64_t")


def _cross_entropy(choices: Choices) -> Mapping[str, str]:
    label = _label(choices)
    body = f"""  const View_{choices.name} x(inputs[0]);
  const int64_t* target = static_cast<const int64_t*>(inputs[1].data);
  const int64_t step = inputs[1].stride[0], rows = inputs[0].shape[0];
  const int64_t columns = inputs[0].shape[1];
  double loss = 0.0;
  for (int64_t r = 0; r < rows; ++r) {{
    double top = x.at(r, 0);
    for (int64_t c = 1; c < columns; ++c) top = std::max<double>(top, x.at(r, c));
    double {label} = 0.0;
    for (int64_t c = 0; c < columns; ++c) {label} += std::exp(x.at(r, c) - top);
    loss += top + std::log({label}) - x.at(r, target[r * step]);
  }}
  *static_cast<float*>(outputs[0].data) = loss / rows;"""
    return {"shape": _SHAPE % "*ndim = 0;", "dims": "2", "body": body}


def _matmul(choices: Choices) -> Mapping[str, str]:
    tile = choices.one(16, 32, 48, 64)
    body = f"""  const View_{choices.name} a(inputs[0]), b(inputs[1]);
  const int64_t m = inputs[0].shape[0], k = inputs[0].shape[1], n = inputs[1].shape[1];
  float* out = static_cast<float*>(outputs[0].data);
  std::fill(out, out + m * n, 0.0f);
{choices.one(*_PRAGMA)}  for (int64_t r = 0; r < m; ++r)
    for (int64_t from = 0; from < k; from += {tile})
      for (int64_t i = from; i < std::min<int64_t>(from + {tile}, k); ++i) {{
        const float v = a.at(r, i);
        for (int64_t c = 0; c < n; ++c) out[r * n + c] += v * b.at(i, c);
      }}"""
    return {"shape": _SHAPE % "shape[1] = inputs[1].shape[1];", "dims": "2", "body": body}


def _attention(choices: Choices) -> Mapping[str, str]:
    label = _label(choices)
    body = f"""  const assay_tensor &q = inputs[0], &k = inputs[1], &v = inputs[2];
  const int64_t heads = q.shape[1], length = q.shape[2], size = q.shape[3];
  const auto at = [](const assay_tensor& t, int64_t b, int64_t h, int64_t i, int64_t d) {{
    const int64_t* s = t.stride;
    return static_cast<const float*>(t.data)[b * s[0] + h * s[1] + i * s[2] + d * s[3]];
  }};
  float* out = static_cast<float*>(outputs[0].data);
  const double root = 1.0 / std::sqrt(static_cast<double>(size));
{choices.one(*_PRAGMA)}  for (int64_t bh = 0; bh < q.shape[0] * heads; ++bh) {{
    const int64_t b = bh / heads, h = bh % heads;
    std::vector<double> score(length), row(size);
    for (int64_t i = 0; i < length; ++i) {{
      double top = -std::numeric_limits<double>::infinity();
      for (int64_t j = 0; j <= i; ++j) {{
        double dot = 0.0;
        for (int64_t d = 0; d < size; ++d) dot += (double)at(q, b, h, i, d) * at(k, b, h, j, d);
        score[j] = dot * root;
        top = std::max(top, score[j]);
      }}
      double {label} = 0.0;
      std::fill(row.begin(), row.end(), 0.0);
      for (int64_t j = 0; j <= i; ++j) {{
        const double e = std::exp(score[j] - top);
        {label} += e;
        for (int64_t d = 0; d < size; ++d) row[d] += e * at(v, b, h, j, d);
      }}
      for (int64_t d = 0; d < size; ++d) out[(bh * length + i) * size + d] = row[d] / {label};
    }}
  }}"""
    return {"shape": "", "dims": "4", "body": body}


FAMILIES = (
    Family("gelu", "gelu", _FILE, _gelu),
    Family("swiglu", "swiglu", _FILE, _swiglu),
    Family("row_sum", "row_sum", _FILE, _row_sum),
    Family("softmax", "softmax", _FILE, _softmax),
    Family("row_argmax", "row_argmax", _FILE, _row_argmax),
    Family("cross_entropy", "cross_entropy", _FILE, _cross_entropy),
    Family("matmul", "matmul", _FILE, _matmul),
    Family("attention", "attention", _FILE, _attention),
    Family(MISH, "mish", _FILE, _mish),
    Family(UNIT_ROWS, "unit_rows", _FILE, _unit_rows),
)


def cpp_sources(seed: int, count: int) -> list[Generated]:
    """So many bare C++ candidates over the ten tasks."""
    return generated(FAMILIES, seed, count, ".cpp")
