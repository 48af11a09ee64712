import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readfirst.harness.processes.worker import Answer, Worker, serve
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError


def main() -> None:
    serve(work)


def work(task: list[str], answer: Answer) -> None:
    """Execute a task: each word raises an error, kills the process, prints, or is returned."""
    for word in task:
        match word:
            case "refuse":
                raise SuiteError((FINDING,))
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "print":
                print("what an implementation prints")
            case _:
                answer("word", word)


FINDING = Finding("rule", Position(Path("a.yaml"), 2, 3), "something is wrong", "Correct it.")


@contextmanager
def worker(*task: str) -> Iterator[Worker]:
    one = Worker("tests.reliability.test_worker", list(task), timeout=5)
    yield one
    one.interrupt()
    one.close_output()
    one.wait()


def test_printed_text_does_not_mix_with_the_answers_of_a_worker() -> None:
    with worker("a", "print", "b") as one:
        assert [one.read(), one.read(), one.read()] == [("word", "a"), ("word", "b"), None]


def test_an_error_in_a_worker_is_its_last_answer_and_keeps_its_findings() -> None:
    with worker("refuse", "a") as one:
        kind, error = one.read() or ("", None)
    assert kind == "error"
    assert isinstance(error, SuiteError)
    assert (str(error), error.findings) == (str(FINDING), (FINDING,))


def test_a_killed_worker_is_detected() -> None:
    with worker("a", "die") as one:
        assert [one.read(), one.read()] == [("word", "a"), None]
        assert one.wait_for_status() == "was killed by signal 9"
