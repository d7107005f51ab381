from __future__ import annotations

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observation import StateSeen
from assay.guard.state import classify

CONVICT = """time.perf_counter builtins.print torch.allclose torch.Tensor.__eq__ os.write json.dumps
sys.settrace sys.setprofile signal.SIGALRM gc.callbacks torch.function_mode runner.wire.send
torch.nn.functional.linear sys.modules numpy.random.rand env.LD_PRELOAD
torch.module_hooks""".split()
INNOCENT = """env.PATH env.OMP_NUM_THREADS torch.num_threads torch.backends.cudnn.benchmark sys.path
warnings.filters torch.rng torch.grad_enabled cwd gc.enabled atexit sys.meta_path
torch.flush_denormal triton.knobs.x""".split()
DOUBTFUL = "torch.default_dtype threading.excepthook sys.excepthook env.LD_LIBRARY_PATH".split()


@pytest.mark.parametrize("name", CONVICT)
def test_what_no_kernel_needs_convicts(name: str) -> None:
    evidence = classify(StateSeen(when="after import", name=name, detail="replaced"))
    assert evidence.kind is EvidenceKind.PATCHED_STATE
    assert evidence.severity is Severity.CONVICTS
    assert name in evidence.text and evidence.where == "after import"


@pytest.mark.parametrize("name", INNOCENT)
def test_tuning_is_a_note(name: str) -> None:
    assert classify(StateSeen(when="calls", name=name)).severity is Severity.NOTE


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_has_an_innocent_reason_is_suspicious(name: str) -> None:
    assert classify(StateSeen(when="calls", name=name)).severity is Severity.SUSPICIOUS
