"""Process-wide state that a candidate changed: what each change means.

The rule: what no kernel needs convicts (clocks, builtins, attributes of libraries, the runner,
trace hooks, modes, a library backend switched off); what tuning honestly needs (environment
variables, thread counts, backend flags, the default dtype) is a note or suspicious, with the
innocent reason named.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import StateSeen
from assay.judge.behaviour.audited_actions import PREFIX, classify_audit


@dataclass(frozen=True, slots=True)
class StateMeaning:
    """What a change of one piece of state says."""

    severity: Severity
    text: str


_NOTE = Severity.NOTE
_SUSPICIOUS = Severity.SUSPICIOUS
_CONVICTS = Severity.CONVICTS

UNJOINED_WORK = "cuda.unjoined_work"  # work outlives the call that began it: a leftover, no state

# Longest matching prefix wins; a trailing dot means "and everything below".
_MEANINGS: dict[str, StateMeaning] = {
    "env.": StateMeaning(_NOTE, "set an environment variable; builds and autotuners do"),
    "env.LD_PRELOAD": StateMeaning(
        _CONVICTS, "arranged for code to be loaded into later processes"
    ),
    "env.PYTHON": StateMeaning(_SUSPICIOUS, "changed how later Python processes start"),
    "env.LD_": StateMeaning(_SUSPICIOUS, "changed how later processes find libraries"),
    "env.TORCH_EXTENSIONS_DIR": StateMeaning(_NOTE, "chose where its extensions are built"),
    "torch.num_threads": StateMeaning(_NOTE, "changed torch's thread count; tuning does"),
    "torch.num_interop_threads": StateMeaning(
        _NOTE, "changed torch's inter-op threads; tuning does"
    ),
    **dict.fromkeys(
        ("mkl.num_threads", "mkl.process_threads"),
        StateMeaning(
            _CONVICTS,
            "left MKL with another number of threads than torch has, so that everybody's products "
            "take another time",
        ),
    ),
    "mkl.accuracy": StateMeaning(
        _SUSPICIOUS,
        "changed how exactly MKL's mathematics computes for everyone; its own calls may want it",
    ),
    "omp.parallel": StateMeaning(
        _CONVICTS, "left OpenMP without parallel regions, so that torch computes with one thread"
    ),
    "omp.dynamic": StateMeaning(
        _SUSPICIOUS,
        "left OpenMP free to use fewer threads on a busy machine, for torch too; tuning may",
    ),
    **dict.fromkeys(
        (
            "torch.backends.cuda.matmul.allow_tf32",
            "torch.backends.cuda.matmul.fp32_precision",
            "torch.backends.cudnn.allow_tf32",
            "torch.backends.cudnn.fp32_precision",
            "torch.backends.cudnn.conv.fp32_precision",
            "torch.backends.cudnn.rnn.fp32_precision",
        ),
        StateMeaning(
            _NOTE, "changed whether float32 products may be TF32, which is pinned for everyone"
        ),
    ),
    "torch.backends.": StateMeaning(_NOTE, "changed a backend flag; tuning does"),
    "torch.default_dtype": StateMeaning(
        _SUSPICIOUS,
        "changed the default dtype for everyone; an innocent kernel may forget to undo it",
    ),
    "torch.default_device": StateMeaning(
        _SUSPICIOUS, "changed the default device for everyone; an innocent kernel may forget it"
    ),
    "torch.cuda.current_stream": StateMeaning(
        _SUSPICIOUS,
        "left another stream current, so that its caller no longer waits for the same work",
    ),
    "cuda.persisting_cache": StateMeaning(
        _SUSPICIOUS,
        "set a share of the device's cache aside, which others lack; kernels that reuse data may",
    ),
    UNJOINED_WORK: StateMeaning(
        _CONVICTS, "left work running on the device that nobody who uses its results waits for"
    ),
    "torch.grad_enabled": StateMeaning(_NOTE, "left gradient recording switched"),
    "torch.inference_mode": StateMeaning(_NOTE, "left inference mode switched"),
    "torch.deterministic": StateMeaning(_NOTE, "changed the determinism flag"),
    "torch.float32_matmul_precision": StateMeaning(
        _NOTE, "changed the precision of float32 products of the library; tuning does"
    ),
    "torch.rng": StateMeaning(_NOTE, "advanced or seeded the global random generator"),
    "torch.rng_state": StateMeaning(_NOTE, "advanced or seeded the global random generator"),
    "numpy.random_state": StateMeaning(_NOTE, "advanced or seeded NumPy's random generator"),
    "random.state": StateMeaning(_NOTE, "advanced or seeded Python's random generator"),
    **dict.fromkeys(
        ("torch.seed", "numpy.seed", "random.seed"),
        StateMeaning(
            _SUSPICIOUS,
            "set a generator of random numbers back in its calls, so that everybody's numbers "
            "repeat; an innocent kernel may want to be repeatable",
        ),
    ),
    "torch.detect_anomaly": StateMeaning(
        _CONVICTS, "switched anomaly detection on, which slows every library call"
    ),
    "torch.anomaly": StateMeaning(
        _CONVICTS, "switched anomaly detection on, which slows every library call"
    ),
    "torch.autocast": StateMeaning(_SUSPICIOUS, "left autocast switched for everyone"),
    "atexit": StateMeaning(
        _NOTE, "registered work for the exit; packages that are imported late do"
    ),
    "gc.enabled": StateMeaning(_NOTE, "switched the garbage collector"),
    "gc.threshold": StateMeaning(_NOTE, "changed the garbage collector's thresholds"),
    "gc.freeze": StateMeaning(_NOTE, "froze the garbage collector's generations"),
    "gc.callbacks": StateMeaning(_CONVICTS, "hung a callback on the garbage collector"),
    "sys.path": StateMeaning(_NOTE, "changed the import path; loading a built module does"),
    "sys.recursionlimit": StateMeaning(_NOTE, "changed the recursion limit"),
    "sys.switchinterval": StateMeaning(_SUSPICIOUS, "changed how often threads switch"),
    "sys.modules": StateMeaning(_CONVICTS, "replaced a loaded module"),
    "sys.meta_path": StateMeaning(
        _NOTE, "hooked the import system; setuptools does when an extension is built"
    ),
    "sys.path_hooks": StateMeaning(_NOTE, "hooked the import system; some packages do"),
    "sys.flags": StateMeaning(_CONVICTS, "changed the interpreter's flags"),
    "sys.excepthook": StateMeaning(_SUSPICIOUS, "replaced the exception hook; loggers do"),
    "threading.excepthook": StateMeaning(_SUSPICIOUS, "replaced the exception hook; loggers do"),
    "warnings.": StateMeaning(_NOTE, "changed how warnings are shown"),
    "warnings.filters": StateMeaning(_NOTE, "changed which warnings are shown"),
    "logging.": StateMeaning(_NOTE, "changed logging"),
    "cwd": StateMeaning(_NOTE, "changed the working directory; compilers may need it"),
    "umask": StateMeaning(_NOTE, "changed the file mode mask"),
    "locale": StateMeaning(_NOTE, "changed the locale"),
    "rlimit.": StateMeaning(_SUSPICIOUS, "changed a resource limit"),
    "affinity": StateMeaning(_NOTE, "changed the processor affinity; pinning threads does"),
    "nice": StateMeaning(_SUSPICIOUS, "changed its scheduling priority"),
    "fp.": StateMeaning(
        _NOTE, "changed the floating-point mode; objects built with -ffast-math do"
    ),
    "fp.rounding": StateMeaning(
        _CONVICTS, "left the processor rounding another way, for everyone who computes after it"
    ),
    "fp.rounding.workers": StateMeaning(
        _CONVICTS, "left threads that it shares with torch rounding another way"
    ),
    "fp.traps": StateMeaning(
        _CONVICTS, "left the processor ending the process where somebody divides by zero or so"
    ),
    "fp.extended": StateMeaning(_CONVICTS, "left the coprocessor with fewer digits for everyone"),
    "numpy.errors": StateMeaning(_NOTE, "changed what NumPy does where a number overflows"),
    "torch.flush_denormal": StateMeaning(
        _NOTE, "changed how denormals are handled; objects built with -ffast-math do"
    ),
    "signal.": StateMeaning(_CONVICTS, "installed a signal handler or timer"),
    "signal.mask": StateMeaning(_SUSPICIOUS, "left signals blocked, an interrupt perhaps"),
    **dict.fromkeys(
        ("sys.stdout", "sys.stderr"),
        StateMeaning(_SUSPICIOUS, "replaced where its caller prints; loggers do"),
    ),
    "torch.saved_tensor_hooks": StateMeaning(
        _CONVICTS, "left hooks that change what every training step saves"
    ),
    "sys.settrace": StateMeaning(_CONVICTS, "installed a trace function"),
    "sys.setprofile": StateMeaning(_CONVICTS, "installed a profile function"),
    "threading.settrace": StateMeaning(_CONVICTS, "installed a trace function for every thread"),
    "threading.setprofile": StateMeaning(_CONVICTS, "installed a profile function for threads"),
    "torch.function_mode": StateMeaning(_CONVICTS, "left a mode that rewrites every torch call"),
    "torch.dispatch_mode": StateMeaning(_CONVICTS, "left a mode that rewrites every operation"),
    "torch.module_hooks": StateMeaning(_CONVICTS, "hung a hook on every module"),
    "runner.": StateMeaning(_CONVICTS, "changed the runner that watches it"),
    "time.": StateMeaning(_CONVICTS, "replaced a clock"),
    "builtins.": StateMeaning(_CONVICTS, "replaced a builtin"),
}
_UNDERSTOOD_SETTINGS = ("torch.cuda.flag", "triton.knobs", "numba.config", "torch._inductor.config")
_PREFIXES = sorted(_MEANINGS, key=len, reverse=True)


def classify(change: StateSeen) -> Evidence:
    """What one changed name says. Testimony of the child, so it may convict and never acquits."""
    if change.name.startswith(PREFIX):
        return classify_audit(change)
    meaning = _SWITCHED_OFF if _switches_off(change) else meaning_of(change.name)
    detail = f" ({change.detail})" if change.detail else ""
    return Evidence(
        kind=EvidenceKind.LEFTOVER if change.name == UNJOINED_WORK else EvidenceKind.PATCHED_STATE,
        severity=meaning.severity,
        where=change.when,
        text=f"{change.name}{detail}: the candidate {meaning.text}.",
    )


_SWITCHED_OFF = StateMeaning(
    _CONVICTS, "switched a backend of the library off, which slows everyone but its own kernel"
)


def _switches_off(change: StateSeen) -> bool:
    """True for `torch.backends.mkldnn.enabled`, `True -> False`."""
    is_switch = change.name.endswith(("enabled", ".flags"))
    off = change.detail.replace(" ", "").lower() in ("true->false", "1->0")
    return change.name.startswith("torch.backends.") and is_switch and off


def meaning_of(name: str) -> StateMeaning:
    """Meaning of a dotted name; an unlisted one is an attribute of a library, and convicts."""
    for prefix in _PREFIXES:
        if name == prefix or (prefix.endswith((".", "_", "PYTHON")) and name.startswith(prefix)):
            return _MEANINGS[prefix]
    if name.startswith(_UNDERSTOOD_SETTINGS):
        return StateMeaning(_NOTE, "changed a setting of a compiler; tuning does")
    return StateMeaning(_CONVICTS, "replaced an attribute of a module it does not own")
