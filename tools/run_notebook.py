"""Run a notebook's cells from top to bottom and keep what they give, without Jupyter.

    python tools/run_notebook.py examples/tour.ipynb            write outputs into the file
    python tools/run_notebook.py examples/tour.ipynb --check    only run it, in this folder

What a cell prints and the value of its last line (as SVG, HTML or text) are its outputs.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

FORMS = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}


def main() -> None:
    """Run the notebook that is named."""
    path, check = Path(sys.argv[1]), "--check" in sys.argv
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = run_cell("".join(cell["source"]), names, number)
    if not check:
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


def run_cell(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the outputs of a cell."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = (
            eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
            if last
            else None
        )
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        outputs.append(shown(value, number))
    return outputs


def shown(value: Any, number: int) -> dict[str, Any]:
    """Return a value as a notebook keeps it."""
    plain = str(value) if type(value).__repr__ is object.__repr__ else repr(value)
    data: dict[str, Any] = {"text/plain": plain.splitlines(keepends=True)}
    for form, method in FORMS.items():
        if hasattr(value, method):
            data = {form: getattr(value, method)().splitlines(keepends=True)}
    kind = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
    return {**kind, "data": data}


if __name__ == "__main__":
    main()
