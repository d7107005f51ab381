from __future__ import annotations

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import StateSeen
from assay.judge.behaviour.state_changes import classify

CONVICT = """time.perf_counter builtins.print torch.allclose torch.Tensor.__eq__ os.write json.dumps
sys.settrace sys.setprofile signal.SIGALRM gc.callbacks torch.function_mode runner.wire.send
torch.nn.functional.linear sys.modules numpy.random.rand env.LD_PRELOAD
torch.module_hooks fp.traps fp.extended torch.saved_tensor_hooks mkl.num_threads
mkl.process_threads omp.parallel""".split()
INNOCENT = """env.PATH env.OMP_NUM_THREADS torch.num_threads torch.backends.cudnn.benchmark sys.path
warnings.filters torch.rng torch.grad_enabled cwd gc.enabled atexit sys.meta_path
torch.flush_denormal triton.knobs.x gc.threshold numpy.errors""".split()
DOUBTFUL = """torch.default_dtype threading.excepthook sys.excepthook env.LD_LIBRARY_PATH
sys.switchinterval rlimit.nofile signal.mask sys.stdout omp.dynamic mkl.accuracy""".split()


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


@pytest.mark.parametrize(
    ("name", "detail", "severity"),
    [
        ("torch.backends.mkldnn.enabled", "True -> False", Severity.CONVICTS),
        ("torch.backends.cudnn.enabled", "True -> False", Severity.CONVICTS),
        ("torch.backends.mkldnn.flags", "True -> False", Severity.CONVICTS),
        ("torch.backends.mkldnn.enabled", "False -> True", Severity.NOTE),
        ("torch.backends.cudnn.benchmark", "True -> False", Severity.NOTE),
    ],
)
def test_a_backend_may_be_tuned_but_not_switched_off(
    name: str, detail: str, severity: Severity
) -> None:
    evidence = classify(StateSeen(when="calls", name=name, detail=detail))
    assert (evidence.kind, evidence.severity) == (EvidenceKind.PATCHED_STATE, severity)


@pytest.mark.parametrize(
    ("event", "detail", "severity"),
    [
        ("write", "/usr/lib/x.pth", Severity.CONVICTS),
        ("socket", "('192.0.2.1', 80)", Severity.CONVICTS),
        ("fork", "()", Severity.CONVICTS),
        ("kill", "(1, 9)", Severity.CONVICTS),
        ("gc", "()", Severity.CONVICTS),
        ("trace", "()", Severity.CONVICTS),
        ("read", "/proc/1/environ", Severity.CONVICTS),
        ("read", "/proc/77/mem", Severity.CONVICTS),
        ("read", "/proc/self/fd/3", Severity.CONVICTS),
        ("read", "/home/someone/.ssh/id_rsa", Severity.CONVICTS),
        ("read", "/etc/shadow", Severity.CONVICTS),
        ("read", "/proc/self/maps", Severity.SUSPICIOUS),
        ("read", "/data/tasks/softmax.py", Severity.SUSPICIOUS),
        ("list", "/data", Severity.SUSPICIOUS),
        ("list", "/proc", Severity.SUSPICIOUS),
        ("frames", "()", Severity.SUSPICIOUS),
        ("exec", "('curl', ['curl', 'http://h'])", Severity.SUSPICIOUS),
        ("exec", "('/bin/sh', ['/bin/sh', '-c', 'nvidia-smi -q'])", Severity.NOTE),
        ("read", "/etc/os-release", Severity.NOTE),
        ("read", "/sys/class/net", Severity.NOTE),
    ],
)
def test_audit_events_are_reaching_out(event: str, detail: str, severity: Severity) -> None:
    seen = StateSeen(when="after the calls", name=f"audit.{event}", detail=detail)
    evidence = classify(seen)
    assert (evidence.kind, evidence.severity) == (EvidenceKind.REACHED_OUT, severity)


def test_holding_a_frame_while_it_is_built_finds_ones_own_folder() -> None:
    seen = StateSeen(when="after the build", name="audit.frames", detail="()")
    assert classify(seen).severity is Severity.NOTE
