import os
import pickle
import signal
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


def worker(*task: str) -> Worker:
    return Worker("tests.reliability.test_worker", list(task), timeout=5)


def stop_worker(one: Worker) -> None:
    one.interrupt()
    one.close_output()
    one.wait()


def test_printed_text_does_not_mix_with_the_answers_of_a_worker() -> None:
    one = worker("a", "print", "b")
    assert [one.read(), one.read(), one.read()] == [("word", "a"), ("word", "b"), None]
    stop_worker(one)


def test_an_error_in_a_worker_is_its_last_answer_and_keeps_its_findings() -> None:
    one = worker("refuse", "a")
    kind, error = one.read() or ("", None)
    assert kind == "error"
    assert isinstance(error, SuiteError)
    assert error.findings == (FINDING,)
    stop_worker(one)


def test_a_killed_worker_is_detected() -> None:
    one = worker("a", "die")
    assert [one.read(), one.read()] == [("word", "a"), None]
    assert one.wait_for_status() == "was killed by signal 9"
    stop_worker(one)


def test_a_suite_error_is_pickled_with_its_findings() -> None:
    copy = pickle.loads(pickle.dumps(SuiteError((FINDING,))))
    assert (str(copy), copy.findings) == (str(FINDING), (FINDING,))
