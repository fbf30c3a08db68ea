"""A tiny engine that misbehaves as it is told: python fake_engine.py MODE [PIDFILE].

It speaks UCI and answers the chess start position; with MODE "hub" it speaks Hub and plays English
draughts by pydraughts' rules, first legal move first.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def uci(mode: str) -> None:
    searching = False
    while True:
        line = sys.stdin.readline()
        if mode == "stubborn" and (not line or line.strip() == "quit"):
            time.sleep(60)
        if not line or line.strip() == "quit":
            return
        word = line.split()[0]
        if word == "uci" and mode != "mute":
            if mode == "slow":
                time.sleep(0.4)
            say("id name Fake\noption name Skill Level type spin default 20 min 0 max 20")
            say("option name Style type combo default Solid var Solid var Very Risky")
            say("option name Log File type string default <empty>\nuciok")
        elif word == "setoption":
            print(line.strip(), file=sys.stderr, flush=True)
            say(f"info string {line.strip()}")
        elif word == "isready":
            say("readyok")
        elif word == "stop" and searching and mode not in ("hang", "chatter"):
            searching = False
            say("bestmove e2e4")
        elif word == "go":
            searching = go(mode, line)


def chatter() -> None:
    while True:
        say("info depth 1 nodes 7 score cp 3 pv e2e4")
        time.sleep(0.002)


def go(mode: str, line: str) -> bool:
    """Answer; tell whether it goes on thinking instead."""
    if mode == "crash":
        print("Segmentation fault in evaluate()", file=sys.stderr, flush=True)
        sys.exit(3)
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "garbage":
        sys.stdout.buffer.write(b"\xff\xfe\x00 info depth x score cp nodes\ninfo\ninfo pv\n")
        sys.stdout.buffer.write(b"info depth 3 score mate\n" + b"z" * 200_000 + b"\n")
        sys.stdout.buffer.flush()
    if mode == "flood":
        for number in range(60_000):
            sys.stdout.write(f"info depth 1 nodes {number % 500} string chatter\n")
    if mode == "chatter":
        threading.Thread(target=chatter, daemon=True).start()
        return True
    if mode in ("endless", "hang"):
        say("info depth 1 score cp 20 nodes 10 pv e2e4")
        return True
    if mode == "deep":
        say("info depth 99 score cp 20 nodes 10 pv e2e4")
        return True
    answer = {"illegal": "e2e5", "none": "(none)", "silly": "\xff", "empty": ""}.get(mode, "e2e4")
    say("info depth 2 seldepth 3 score cp 300 nodes 77 pv e2e4 e7e5 nonsense")
    say("info depth 3 score cp -900 upperbound nodes 99 pv d2d4")
    say(f"info string {line.strip()}")
    say(f"bestmove {answer}")
    return False


def hub() -> None:
    import draughts

    board, known = None, ("", [])
    while True:
        line = sys.stdin.readline()
        if not line or line.strip() == "quit":
            return
        word, _, rest = line.strip().partition(" ")
        if word == "hub":
            say('id name=Fake version=1 author="No One"')
            say('param name=variant value=normal type=enum values="normal english"')
            say("param name=tt-size value=24 type=int min=16 max=30\nwait")
        elif word == "init":
            say("loading ...\nready")
        elif word == "ping":
            say("pong")
        elif word == "pos":
            position, _, moves = rest.removeprefix("pos=").partition(" moves=")
            men = {"W": [], "B": []}
            for number, piece in enumerate(position[1:], 1):
                if piece != "e":
                    men[piece.upper()].append(("K" if piece.isupper() else "") + str(number))
            made = moves.strip('"').split()
            if (position, made[: len(known[1])]) != known:
                fen = f"{position[0]}:W{','.join(men['W'])}:B{','.join(men['B'])}"
                board, known = draughts.Board("english", fen), (position, [])
            for move in made[len(known[1]) :]:
                board.push(draughts.Move(board, hub_move=move))
            known = (position, made)
        elif word == "go":
            move = board.legal_moves()[0].hub_move
            say(f'info depth=1 score=-0.50 nodes=9 time=0.1 pv="{move} {move}"')
            say(f"done move={move}")


if __name__ == "__main__":
    mode = sys.argv[1]
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n")
    if mode == "deserter":  # its child leaves group and session, and its parent ends
        leave = "import os, time; os.setsid(); os.fork() and os._exit(0); "
        note = f"open({sys.argv[2]!r}, 'a').write(f'{{os.getpid()}}\\n'); time.sleep(60)"
        subprocess.Popen([sys.executable, "-c", leave + note]).wait()
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open(sys.argv[2], "a") as file:
            file.write(f"{child.pid}\n")
    if mode == "hub":
        hub()
    else:
        uci(mode)
