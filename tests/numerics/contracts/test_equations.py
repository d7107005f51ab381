"""Decompositions: any sign and basis is right, a broken equation is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from assay.data.contract import Decomposition, Equation
from assay.errors import TaskError
from assay.numerics.expectation import ExpectationRequest, OutputExpectation, compare_all, expect
from support.references import Reference, normal


def declared(
    equation: Equation, function: Callable[..., object], *inputs: torch.Tensor
) -> tuple[OutputExpectation, ...]:
    request = ExpectationRequest(seed=1, contract=Decomposition(equation=equation))
    return expect(Reference(function), inputs, {}, request)


def traced(function: Callable[..., object], *inputs: torch.Tensor) -> tuple[OutputExpectation, ...]:
    return expect(Reference(function), inputs, {}, ExpectationRequest(seed=1))


def right(expected: tuple[OutputExpectation, ...], *answer: torch.Tensor) -> bool:
    return all(error.ok for error in compare_all(expected, answer))


def qr(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(torch.linalg.qr(a))


def test_qr_is_found_by_watching_and_signs_are_free() -> None:
    a = normal(4, 20, 8)
    expected = traced(qr, a)
    q, r = qr(a)
    signs = torch.where(normal(8, seed=2) > 0, 1.0, -1.0)
    assert right(expected, q, r) and right(expected, q * signs, signs[:, None] * r)
    assert not right(expected, q * signs, r)
    assert not right(expected, 2 * q, r / 2)
    assert not right(expected, q, r + torch.eye(8).tril(-1) + 1e-3)
    low = a.to(torch.bfloat16).float()
    assert not right(expected, *qr(low))


def test_eigenvectors_of_equal_eigenvalues_are_any_basis() -> None:
    turn = torch.linalg.qr(normal(6, 6, seed=4))[0]
    values = torch.tensor([1.0, 2.0, 2.0, 2.0, 5.0, 7.0])
    a = turn @ torch.diag(values) @ turn.T
    a = (a + a.T) / 2
    expected = traced(lambda m: tuple(torch.linalg.eigh(m)), a)
    w, v = torch.linalg.eigh(a)
    mixed = v.clone()
    mixed[:, 1:4] = v[:, 1:4] @ torch.linalg.qr(normal(3, 3, seed=5))[0]
    assert right(expected, w, v) and right(expected, w, mixed)
    assert not right(expected, w.flip(0), v.flip(1))  # pairs are right, their order is not
    assert not right(expected, w, v.T)


def test_eigenvectors_of_any_matrix_have_a_free_phase_and_order() -> None:
    a = normal(2, 12, 12, seed=3)
    expected = traced(lambda m: tuple(torch.linalg.eig(m)), a)
    w, v = torch.linalg.eig(a)
    phases = torch.polar(torch.ones(12), normal(12, seed=6))
    assert right(expected, w, v) and right(expected, w.flip(-1), v.flip(-1) * phases)
    assert not right(expected, w, 2 * v) and not right(expected, w, torch.zeros_like(v))
    assert not right(expected, w.flip(-1), v) and not right(expected, w * 1.001, v)
    assert not right(expected, *torch.linalg.eig(a.to(torch.bfloat16).float()))


def test_one_pair_for_another_is_no_decomposition() -> None:
    a = torch.diag(torch.tensor([1.0, 2.0, 3.0])) + normal(3, 3, seed=2) / 64
    expected = traced(lambda m: tuple(torch.linalg.eig(m)), a)
    w, v = torch.linalg.eig(a)
    order = w.real.argsort()
    twice = order[torch.tensor([1, 1, 1])]  # their sum is nearly the trace
    assert right(expected, w[order], v[:, order])
    assert not right(expected, w[twice], v[:, twice])
    same = traced(lambda m: tuple(torch.linalg.eig(m)), torch.eye(4))
    assert right(same, torch.ones(4) + 0j, torch.linalg.qr(normal(4, 4))[0] + 0j)


def test_svd_in_both_of_torchs_forms() -> None:
    a = normal(3, 9, 5)
    new = traced(lambda m: tuple(torch.linalg.svd(m, full_matrices=False)), a)
    old = traced(lambda m: tuple(torch.svd(m)), a)
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    assert right(new, -u, s, -vh) and right(old, -u, s, -vh.mT)
    assert not right(new, u, -s, -vh) and not right(new, -u, s, vh)


def test_a_reference_that_asks_for_symmetry_is_probed_with_it() -> None:
    def factor(m: torch.Tensor) -> torch.Tensor:
        if not torch.equal(m, m.mT):
            raise TaskError("not symmetric")
        return torch.linalg.cholesky(m)

    a = normal(8, 8)
    a = a @ a.T + torch.eye(8)
    a = a.tril() + a.tril(-1).mT
    expected = traced(factor, a)
    assert right(expected, factor(a)) and not right(expected, factor(a) * 1.01)
    with pytest.raises(TaskError):
        traced(factor, a + torch.eye(8).roll(1))


def test_a_decomposition_of_something_computed_keeps_its_slack() -> None:
    for seed, rows in enumerate([16, 1, 1, 1]):  # in a single row a sum may cancel
        x, w = normal(200, rows, 32, seed=seed), normal(32, 6, seed=9)
        expected = traced(lambda a, b: qr(a @ b), x, w)
        product = torch.zeros(200, rows, 6)
        for k in range(32):  # another order of summation
            product += x[..., k, None] * w[k]
        assert right(expected, *qr(product))
        assert not right(expected, *qr(product + 1e-3))


@pytest.mark.parametrize("equation", [Equation.SOLVE, Equation.INVERSE, Equation.CHOLESKY])
def test_declared_equations(equation: Equation) -> None:
    a, b = normal(3, 10, 10), normal(3, 10, 2, seed=1)
    spd = a @ a.mT + 10 * torch.eye(10)
    function, inputs = {
        Equation.SOLVE: (torch.linalg.solve, (a, b)),
        Equation.INVERSE: (torch.linalg.inv, (a,)),
        Equation.CHOLESKY: (torch.linalg.cholesky, (spd,)),
    }[equation]
    expected = declared(equation, function, *inputs)
    answer = function(*inputs)
    assert right(expected, answer)
    assert not right(expected, -answer) and not right(expected, answer * 1.001)
    assert not right(expected, torch.full_like(answer, torch.nan))


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64])
def test_factors_that_are_returned_in_another_order_are_found_too(dtype: torch.dtype) -> None:
    def vectors_first(a: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, vectors = torch.linalg.eigh(a)
        return vectors, values

    a = normal(3, 6, 6).to(dtype) + (1j * normal(3, 6, 6, seed=2) if dtype.is_complex else 0.0)
    a = a + a.mH
    expected = traced(vectors_first, a)
    vectors, values = vectors_first(a)
    phase = -1j if dtype.is_complex else -1.0
    assert right(expected, vectors * phase, values)
    assert not right(expected, vectors.roll(1, -1), values)
    first, second = compare_all(expected, (vectors, values.flip(-1)))
    assert not first.ok and not second.ok
