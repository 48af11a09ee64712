"""Wrong programs for the protocol `lines`: `silent` and others do one thing wrong in a call, most at the start."""

import json
import sys
import time

WRONG = sys.argv[1]


def answer(**fields):
    print(json.dumps(fields), flush=True)


for line in sys.stdin:
    asked = json.loads(line)
    number, do = asked["id"], asked["do"]
    if do == "hello":
        if WRONG == "another-protocol":
            answer(id=number, protocol=2, capabilities=["Read"])
        elif WRONG == "no-capabilities":
            answer(id=number, protocol=1)
        else:
            answer(id=number, protocol=1, capabilities=["Read", "parallel", "during"])
    elif do in ("call", "calls"):
        match WRONG:
            case "silent":
                time.sleep(60)
            case "patient":
                sys.stdin.readline()  # the request to cancel the call
                answer(id=number, text="given up", refused=True)
            case "deaf":
                sys.stdin.close()
                time.sleep(60)
            case "dying":
                print("I cannot go on", file=sys.stderr)
                sys.exit(7)
            case "chatty":
                print("Reading the file", flush=True)
            case "flooding":
                while True:
                    sys.stdout.write("x" * 65536)
            case "list":
                print("[]", flush=True)
            case "late-answer":
                answer(id=number - 1, text="", refused=False)
            case "problem":
                answer(id=number, problem="the disk is gone")
            case "no-text":
                answer(id=number, refused=False)
            case "no-results":
                answer(id=number)
            case _:
                answer(id=number, text="fine", refused=False)
    elif do not in ("go", "cancel"):
        answer(id=number)
        if WRONG == "flooding-unasked" and do == "open":
            for _ in range(64):
                print("x" * 65535, flush=True)
            sys.exit(7)
