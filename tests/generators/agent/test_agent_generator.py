"""A command that works in a folder: what it leaves is a candidate, and nothing else is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget
from assay.data.generation.search_event import LlmCall, Move, ToolUse
from assay.errors import UsageError
from assay.generators.agent.agent_generator import AgentGenerator
from assay.generators.candidate_generator import ContextPart, GenerationRequest, Proposal
from assay.generators.candidate_source import NoCandidate
from assay.tasks.catalog import resolve

AGENT = Path(__file__).with_name("scripted_agent.py")
EXAMPLES = Path(__file__).parents[3] / "examples"
KERNEL = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n"
WRITE = f"open('kernel.py', 'w').write({KERNEL!r})\n"
REQUEST = GenerationRequest(resolve("row_sum"), "cpu", sample=5)
Told = list[LlmCall | ToolUse]


@pytest.fixture
def told() -> Told:
    return []


def propose(
    script: str,
    told: Told,
    monkeypatch: pytest.MonkeyPatch,
    request: GenerationRequest = REQUEST,
    **options: str,
) -> Proposal | NoCandidate:
    monkeypatch.setenv("SCRIPT", script)
    command = {"command": f"{sys.executable} {AGENT}"}
    generator = AgentGenerator().configured(command | options)
    return generator.propose(request, told.append)


def test_what_it_writes_is_the_candidate(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    script = WRITE + "print('I', 'wrote it')\nimport sys; print('oops', file=sys.stderr)\n"
    found = propose(script, told, monkeypatch)
    assert isinstance(found, Proposal)
    assert found.candidate.main.text == KERNEL
    assert "I wrote it" in found.rationale and "ended by itself" in found.rationale
    assert found.claimed is None and found.spent.seconds > 0
    made = found.candidate.provenance
    assert made.generator is not None and (made.generator.name, made.sample) == ("agent", 5)
    (call,) = told
    assert isinstance(call, LlmCall) and call.estimated and call.tokens_out


def test_it_finds_task_page_parent_and_context(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parent = Attempt(
        number=1, task="row_sum", candidate="c1", source="# old\n", status="incorrect", reason="nan"
    )
    request = replace(
        REQUEST,
        move=Move.REPAIR,
        parents=(parent,),
        context=(ContextPart("limits", "memory: 3 us"),),
        note="mend the tail",
        left=Budget(seconds=77.0, tokens=1234),
    )
    script = WRITE + "open('said', 'w').write(prompt)\n"
    found = propose(script, told, monkeypatch, request, keep=str(tmp_path))
    assert isinstance(found, Proposal) and found.candidate.provenance.parents == ("c1",)
    folder = tmp_path / "row_sum-5"
    assert (folder / "task.py").read_text() == REQUEST.task.source
    page = (folder / "SKILL.md").read_text()
    assert "assay eval task.py kernel.py --device cpu --level quick" in page
    assert "77 seconds in all, 1234 tokens" in page and "$" not in page
    assert "incorrect. nan" in (folder / "verdict.md").read_text()
    assert "memory: 3 us" in (folder / "context.md").read_text()
    assert "mend the tail" in (folder / "said").read_text()


def test_nothing_of_ours_is_in_its_folder_or_environment(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSAY_STORE", "/a/secret/place")
    script = WRITE + (
        "import os, json, pathlib\n"
        "names = [str(p) for p in pathlib.Path('.').rglob('*')]\n"
        "json.dump([sorted(names), dict(os.environ)], open('seen.json', 'w'))\n"
    )
    propose(script, told, monkeypatch, keep=str(tmp_path))
    names, environment = json.loads((tmp_path / "row_sum-5" / "seen.json").read_text())
    assert names == ["SKILL.md", "kernel.py", "task.py"]
    assert "/a/secret/place" not in environment.values()
    bin_folder = environment["PATH"].split(os.pathsep)[0]
    assert not Path(bin_folder).exists(), "the folders are removed in the end"


def test_every_eval_is_an_event_and_the_best_is_handed_in(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, wrong = (
        (EXAMPLES / "row_sum" / f"{name}.cpp").read_text()
        for name in ("honest__strided", "wrong__ignores_strides")
    )
    script = (
        "import subprocess\n"
        f"open('best.cpp', 'w').write({good!r})\n"
        f"open('kernel.cpp', 'w').write({wrong!r})\n"
        "words = 'assay eval row_sum best.cpp kernel.cpp --level smoke --no-timing'.split()\n"
        "subprocess.run(words, check=False)\n"
        "subprocess.run(['assay', '--version'], check=True)\n"
    )
    found = propose(script, told, monkeypatch)
    assert isinstance(found, Proposal)
    assert found.candidate.main.text == good, "the accepted one, not the last"
    uses = [one for one in told if isinstance(one, ToolUse)]
    assert [(one.tool, one.status) for one in uses] == [
        ("assay eval", "accepted"),
        ("assay eval", "incorrect"),
        ("assay --version", ""),
    ]
    assert uses[0].candidate == found.candidate.id and uses[0].ask == 5
    assert found.claimed is not None and found.claimed.correct and found.claimed.source == "agent"


def test_it_is_ended_at_its_time_with_all_that_it_started(
    told: Told, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    script = WRITE + (
        "import os, subprocess, time\n"
        "own = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{own.pid}}')\n"
        "time.sleep(600)\n"
    )
    found = propose(script, told, monkeypatch, seconds="4")
    assert isinstance(found, Proposal) and "budget of seconds" in found.rationale
    wait_for(lambda: not any(map(alive, pids.read_text().split())))


def test_it_ends_when_its_caller_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = (
        "import os, subprocess, time\n"
        "own = subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{own.pid}}')\n"
        "time.sleep(600)\n"
    )
    caller = (
        "from assay.generators.agent.agent_generator import AgentGenerator\n"
        "from assay.generators.candidate_generator import GenerationRequest\n"
        "from assay.tasks.catalog import resolve\n"
        f"generator = AgentGenerator().configured({{'command': {f'{sys.executable} {AGENT}'!r}}})\n"
        "generator.propose(GenerationRequest(resolve('row_sum'), 'cpu'), lambda event: None)\n"
    )
    environment = os.environ | {"SCRIPT": script, "TMPDIR": str(tmp_path)}
    started = subprocess.Popen([sys.executable, "-c", caller], env=environment)
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    started.kill()
    started.wait()
    wait_for(lambda: not any(map(alive, pids.read_text().split())))


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_forged_log_brings_no_path_out_of_the_folder(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = {
        "arguments": ["eval"],
        "exit": 0,
        "judged": [
            {
                "candidate": {
                    "name": "x",
                    "language": "cpp_source",
                    "sources": [{"path": "../../escape.py", "text": KERNEL}],
                },
                "status": "accepted",
                "reason": "",
                "speedup": 99.0,
                "speedup_low": 99.0,
            }
        ],
    }
    script = WRITE + (
        "import os, pathlib\n"
        "desk = pathlib.Path(os.environ['PATH'].split(os.pathsep)[0]).parent\n"
        f"(desk / 'log.jsonl').write_text({json.dumps(forged)!r} + '\\n[]\\n')\n"
    )
    found = propose(script, told, monkeypatch)
    assert isinstance(found, Proposal) and found.candidate.main.text == KERNEL
    assert found.claimed is None
    uses = [one for one in told if isinstance(one, ToolUse)]
    assert [one.text for one in uses] == ["unreadable log line"] * 2


def alive(pid: str) -> bool:
    return Path(f"/proc/{pid}").exists()


def claude_turn(number: int, tokens: int) -> str:
    usage = {"input_tokens": tokens, "output_tokens": 10, "cache_read_input_tokens": 5}
    block = [{"type": "text", "text": f"turn {number}"}]
    message = {"id": f"m{number}", "model": "claude-opus-5", "usage": usage, "content": block}
    return json.dumps({"type": "assistant", "message": message})


def test_the_turns_of_claude_are_calls_and_add_up_to_its_report(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = {"input_tokens": 300, "output_tokens": 50, "cache_read_input_tokens": 10}
    total = {"type": "result", "total_cost_usd": 0.5, "usage": usage, "result": "done"}
    lines = [
        claude_turn(1, 100),
        claude_turn(1, 100),
        "not json",
        claude_turn(2, 200),
        json.dumps(total),
    ]
    script = WRITE + f"print({chr(10).join(lines)!r})\n"
    found = propose(script, told, monkeypatch, stream="claude")
    assert isinstance(found, Proposal) and found.rationale.startswith("done")
    calls = [one for one in told if isinstance(one, LlmCall)]
    assert [one.tokens_in for one in calls] == [105, 205, 0]
    assert sum(one.tokens_out or 0 for one in calls) == 50
    assert sum(one.dollars or 0.0 for one in calls) == pytest.approx(0.5)
    assert len({one.key for one in calls}) == 3


def test_codex_reports_at_the_end_of_a_turn(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = {"input_tokens": 40, "cached_input_tokens": 30, "output_tokens": 2}
    events = [
        {"type": "item.completed", "item": {"type": "agent_message", "text": "hello"}},
        {"type": "turn.completed", "usage": usage},
    ]
    script = WRITE + "\n".join(f"print({json.dumps(one)!r})" for one in events)
    propose(script, told, monkeypatch, stream="codex", model="gpt-5")
    (call,) = told
    assert isinstance(call, LlmCall)
    assert (call.tokens_in, call.tokens_cached, call.tokens_out) == (40, 30, 2)
    assert (call.text, call.model) == ("hello", "gpt-5") and call.dollars


def test_it_is_ended_when_its_tokens_are_spent(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    script = WRITE + (f"print({claude_turn(1, 500)!r}, flush=True)\nimport time; time.sleep(600)\n")
    start = time.monotonic()
    request = replace(REQUEST, left=Budget(tokens=400))
    found = propose(script, told, monkeypatch, request, stream="claude")
    assert isinstance(found, Proposal) and "budget of tokens" in found.rationale
    assert time.monotonic() - start < 300


def test_an_agent_that_leaves_nothing_says_why(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    found = propose("import sys; sys.exit('no login')", told, monkeypatch)
    assert isinstance(found, NoCandidate)
    assert "exit code 1" in found.reason and "no login" in found.reason


def test_a_link_to_another_file_is_no_candidate(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "import os; os.symlink('/etc/hostname', 'kernel.py')"
    assert isinstance(propose(script, told, monkeypatch), NoCandidate)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "needs --option command"),
        ({"preset": "copilot"}, "no preset 'copilot'; known: claude, codex"),
        ({"command": " "}, "command is empty"),
        ({"command": "x", "speed": "1"}, "no option 'speed'; known: preset, command"),
        ({"command": "x", "seconds": "-1"}, "option seconds"),
    ],
)
def test_a_wrong_option_is_one_line(options: dict[str, str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        AgentGenerator().configured(options)


def test_a_command_that_is_not_installed_is_one_line() -> None:
    generator = AgentGenerator().configured({"command": "no-such-agent -p"})
    with pytest.raises(UsageError, match="no such command: no-such-agent"):
        generator.propose(REQUEST, lambda _: None)
