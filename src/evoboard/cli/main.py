"""The command line: `evoboard`. Each group of commands is a file; this one joins them."""

from __future__ import annotations

import sys

import typer

from evoboard.cli import demo, rules
from evoboard.core.errors import EvoboardError

app = typer.Typer(
    name="evoboard",
    help="Evolve neural networks that play board games, knowing only the rules and who won.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
rules.add_to(app)
demo.add_to(app)


def run() -> None:
    """Run the command line; what the user can mend becomes one sentence, never a traceback."""
    try:
        app()
    except EvoboardError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        _fail("interrupted.", code=130)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        if not _is_numba(error):
            raise
        from evoboard.arena.watch import describe_numba

        _fail(f"{describe_numba(error)} `evoboard check-game` says more.")


def _fail(message: str, code: int = 2) -> None:
    print(f"evoboard: {message}", file=sys.stderr)
    sys.exit(code)


def _is_numba(error: Exception) -> bool:
    """Tell whether Numba refused to compile a kernel, without importing Numba to find out."""
    return any(kind.__name__ == "NumbaError" for kind in type(error).__mro__)


if __name__ == "__main__":
    run()
