"""Pages of the documentation that are made from the program itself, and links that stay true.

MkDocs calls these functions (`hooks` in mkdocs.yml). Commands, settings and names are read where
they are declared, so their pages cannot grow stale; a link to a file that is not there, in the
documentation or in the repository, ends the build.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import posixpath
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).parent.parent
LOG = logging.getLogger("mkdocs.hooks.docs_site")
# Files of the repository that are pages of the site as they are.
PAGES = {
    "README.md": "index.md",
    "MEASUREMENTS.md": "measurements.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "examples": "reference/examples.md",
    "examples/parts": "your-own-strategy.md",
    "examples/tour.ipynb": "tutorials/notebook.md",
}
# Where there is more about a command than its own page says.
GUIDES = {
    "games": ["your-own-game.md"],
    "show": ["your-own-game.md"],
    "perft": ["your-own-game.md"],
    "check-game": ["your-own-game.md"],
    "players": ["external.md", "your-own-strategy.md"],
    "analyse": ["app.md"],
    "export": ["export.md"],
    "import": ["export.md"],
    "match": ["concepts/strength.md", "external.md"],
    "tournament": ["concepts/strength.md"],
    "ladder": ["concepts/strength.md"],
    "convert": ["app.md"],
    "engine": ["tutorials/chess-gui.md", "engines.md"],
    "experiments": ["experiments.md"],
    "init": ["experiments.md", "reference/settings.md"],
    "train": ["tutorials/first-player.md", "experiments.md", "scaling.md"],
    "resume": ["scaling.md"],
    "study": ["tutorials/study.md"],
    "tune": ["tutorials/study.md"],
    "paper": ["papers.md"],
    "runs": ["tutorials/first-player.md"],
    "report": ["tutorials/first-player.md"],
    "grade": ["concepts/strength.md"],
    "rate": ["concepts/strength.md"],
    "app": ["app.md"],
    "demo": ["get-started.md"],
    "doctor": ["scaling.md"],
}


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    for uri, text in {**repository_pages(), **made_pages()}.items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_config(config: Any) -> Any:
    """Put the commands' pages under their list, and pages that nobody has placed under Guides.

    `tools/trust.py --write` makes trust.md; where it has not run, the page is left out.
    """
    sections = {name: entry[name] for entry in config.nav for name in entry}
    for heading, names in headings().items():
        sections["Commands"].append({heading: [{name: f"commands/{name}.md"} for name in names]})
    named = set(re.findall(r"[\w/-]+\.md", str(config.nav)))
    found = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    sections["Guides"] += [{title(page): page} for page in sorted(found - named)]
    if "trust.md" not in found:
        for entries in sections.values():
            if isinstance(entries, list):
                entries[:] = [entry for entry in entries if "trust.md" not in str(entry)]
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to files of the repository at their pages."""
    uri = page.file.src_uri
    files_of = {made: path for path, made in PAGES.items() if path.endswith((".md", ".ipynb"))}
    home = files_of.get(uri)
    folder = posixpath.dirname(home) if home else posixpath.join("docs", posixpath.dirname(uri))

    def replaced(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("docs/"):
            inside = path.removeprefix("docs/")
            if files.get_file_from_path(inside) is None and home:
                LOG.warning("%s links to %s, which is not there", home, target)
            return f"{words}({relative(inside, uri)}{anchor})"
        if path in PAGES:
            return f"{words}({relative(PAGES[path], uri)}{anchor})"
        if not (ROOT / path).exists():
            LOG.warning("%s links to %s, which is not there", uri, target)
        if re.fullmatch(r"examples/\w+\.py", path):
            anchor = f"#{posixpath.basename(path).replace('.', '')}"
            return f"{words}({relative('reference/examples.md', uri)}{anchor})"
        label = words.strip("[]").strip("`")
        return f"`{path}`" if label in path else f"{label} (`{path}`)"

    pattern = r"(!?\[[^\]]*\])\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)"
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [re.sub(pattern, replaced, text) for text in parts[::2]]
    return "".join(parts)


def relative(target: str, page: str) -> str:
    """Return the link from one page to another."""
    return os.path.relpath(target, posixpath.dirname(page) or ".").replace(os.sep, "/")


def repository_pages() -> dict[str, str]:
    """Return the repository's own pages, by their place in the site."""
    return {
        uri: (ROOT / path).read_text(encoding="utf-8")
        for path, uri in PAGES.items()
        if path.endswith(".md")
    }


def made_pages() -> dict[str, str]:
    """Return the pages made of commands, settings, names and examples."""
    pages = {f"commands/{name}.md": text for name, text in command_pages()}
    return pages | {
        "commands/index.md": command_list(),
        "reference/settings.md": settings_page(),
        "reference/python.md": python_page(),
        "reference/examples.md": examples_page(),
        "tutorials/notebook.md": notebook_page(),
    }


# --- commands -----------------------------------------------------------------------------------


def headings() -> dict[str, list[str]]:
    """Return the names of the commands by the headings of the help."""
    from evoboard.cli.main import COMMANDS, list_commands

    return {
        heading: [name for file in files for name in list_commands(file)]
        for heading, files in COMMANDS.items()
    }


def command_list() -> str:
    """Return the page that lists all commands."""
    from evoboard.cli.main import COMMANDS, list_commands

    lines = [
        "# Commands",
        "",
        "`evoboard COMMAND -h` prints the same in the terminal.",
        "",
    ]
    for heading, files in COMMANDS.items():
        lines += [f"## {heading}", "", "| command | what it does |", "|---|---|"]
        for file in files:
            for name, told in list_commands(file).items():
                lines.append(f"| [`{name}`]({name}.md) | {cell(told)} |")
        lines.append("")
    return "\n".join(lines)


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield a page for each command."""
    from evoboard.cli.main import COMMANDS, load_commands

    for files in COMMANDS.values():
        for file in files:
            for name, command in load_commands(file).items():
                yield name, command_page(name, command)


def command_page(name: str, command: Any) -> str:
    """Return what a command is for, how it is called, and what each argument and option means."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    words = " ".join(map(metavar, arguments))
    lines = [f"# evoboard {name}", "", inspect.cleandoc(command.help or ""), ""]
    lines += ["```", f"evoboard {name} {words}{' [OPTIONS]' * bool(options)}".rstrip(), "```", ""]
    if arguments:
        lines += ["| argument | what it is |", "|---|---|"]
        lines += [f"| `{metavar(p)}` | {cell(p.help)} |" for p in arguments]
        lines.append("")
    if options:
        lines += ["| option | default | what it does |", "|---|---|---|"]
        lines += [f"| {flags(p)} | {usual(p)} | {cell(p.help)} |" for p in options]
        lines.append("")
    if command.epilog:
        shown = re.sub(r"\[/?[a-z ]*\]", "", command.epilog).replace("\\[", "[")
        examples = [line.strip() for line in shown.splitlines()[1:] if line.strip()]
        lines += ["## Examples", "", "```", *examples, "```", ""]
    if name in GUIDES:
        told = ", ".join(f"[{title(page)}](../{page})" for page in GUIDES[name])
        lines += [f"More: {told}.", ""]
    return "\n".join(lines)


def metavar(argument: Any) -> str:
    """Return an argument as it is written."""
    name = argument.metavar or (argument.name or "").upper()
    shown = name if argument.nargs == 1 or name.endswith("...") else f"{name}..."
    return shown if argument.required or shown.startswith("[") else f"[{shown}]"


def flags(option: Any) -> str:
    """Return an option as it is written."""
    return ", ".join(f"`{flag}`" for flag in [*option.opts, *option.secondary_opts])


def usual(option: Any) -> str:
    """Return an option's default."""
    value = option.default
    if option.required:
        return "needed"
    if value is None or value is False or value == "" or callable(value):
        return ""
    return f"`{value}`"


def title(page: str) -> str:
    """Return the title of a page."""
    if page == "reference/settings.md":
        return "Every setting"
    return (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def cell(text: str | None) -> str:
    """Return a text for a table: one line, nothing that Markdown or HTML would take for its own."""
    one = " ".join((text or "").split()).replace("|", "\\|")
    return "".join(
        part if part.startswith("`") else part.replace("<", "&lt;").replace("*", "\\*")
        for part in re.split(r"(`[^`]*`)", one)
    )


# --- settings -----------------------------------------------------------------------------------


def settings_page() -> str:
    """Return every setting of experiments, strategies, mutations, searches and players."""
    from evoboard.core import catalog
    from evoboard.evolution.base import find_strategy
    from evoboard.games.base import game_names
    from evoboard.players.base import player_names
    from evoboard.search.base import find_search
    from evoboard.training.experiment import Experiment

    lines = [
        "# Every setting",
        "",
        "Taken from the program. `evoboard init FILE.toml --from EXPERIMENT` writes those of an",
        "experiment to a file, each explained; `--set PLACE=VALUE` changes one for a run.",
        "",
        "## Experiments",
        "",
        *model_tables(Experiment, ""),
    ]
    strategies = catalog.names("evoboard.evolution.strategies", "Strategy")
    lines += ["## Strategies", ""]
    for name in strategies:
        module = find_strategy(name)
        lines += [f"### {name}", "", first_line(module), "", *model_tables(module.Settings, "")]
    lines += ["## Mutations of NEAT", ""]
    for name in catalog.names("evoboard.evolution.mutations", "mutate"):
        module = catalog.find("mutation", "evoboard.evolution.mutations", name, "mutate")
        lines += [f"### {name}", "", first_line(module), "", *model_tables(module.Settings, "")]
    lines += ["## Searches", ""]
    for name in catalog.names("evoboard.search", "Settings"):
        module = find_search(name)
        lines += [f"### {name} {{#search-{name}}}", "", first_line(module), ""]
        lines += model_tables(module.Settings, "")
    for heading, package, names, needs in (
        ("Players", "evoboard.players", player_names(), "player_for"),
        ("Games", "evoboard.games", game_names(), "legal_moves"),
        ("Encoders", "evoboard.encoders", catalog.names("evoboard.encoders", "encoder_for"), ""),
    ):
        lines += [f"## {heading}", ""]
        for name in names:
            module = catalog.find(heading.lower(), package, name, needs or "encoder_for")
            told = getattr(module, "SUMMARY", "") or first_line(module)
            lines += [f"### {name} {{#{heading.lower()}-{name}}}", "", cell(told), ""]
            model = getattr(module, "Options", None)
            if model is not None:
                lines += model_tables(model, "")
    return "\n".join(lines)


def first_line(module: Any) -> str:
    """Return the first sentence of a module's docstring."""
    return cell((module.__doc__ or "").strip().split("\n\n")[0])


def model_tables(model: type[BaseModel], path: str) -> list[str]:
    """Return a table of a model's fields, then those of the models within it."""
    from evoboard.core.settings import model_in

    own, inner = list[str](), list[str]()
    for name, field in model.model_fields.items():
        within = model_in(field.annotation)
        if within is not None and within is not model:
            told = f"**`[{path}{name}]`** {cell((within.__doc__ or '').strip())}"
            inner += [told, "", *model_tables(within, f"{path}{name}.")]
        else:
            bounds = bounds_of(field)
            own.append(
                f"| `{path}{name}` | {default_of(field)} | {cell(field.description)}{bounds} |"
            )
    head = ["| setting | default | what it means |", "|---|---|---|"] if own else []
    return [*head, *own, "", *inner]


def default_of(field: FieldInfo) -> str:
    """Return a setting's default as TOML would write it."""
    value = field.get_default(call_default_factory=False)
    if value is PydanticUndefined:
        return "needed" if field.is_required() else ""
    if value is None or isinstance(value, BaseModel):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{cell(json.dumps(value) if isinstance(value, str) else str(value))}`"


def bounds_of(field: FieldInfo) -> str:
    """Return the bounds of a setting, in brackets."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    found = [
        f"{sign} {value:,.10g}"
        for part in field.metadata
        for name, sign in signs.items()
        if isinstance(value := getattr(part, name, None), int | float) and abs(value) < 2**62
    ]
    return f" ({escape(', '.join(found))})" if found else ""


# --- Python -------------------------------------------------------------------------------------


def python_page() -> str:
    """Return the signatures and docstrings of all that `import evoboard as eb` has."""
    import evoboard
    from evoboard.api import Run
    from evoboard.arena.contest import Contest
    from evoboard.arena.standings import MatchResult, Standings
    from evoboard.games.base import Game
    from evoboard.games.history import History
    from evoboard.games.view import Board, MoveLook, Piece, View
    from evoboard.pictures.svg import Picture
    from evoboard.runs.rate import Rated
    from evoboard.search.base import Thought

    lines = [
        "# Every Python name",
        "",
        "[Python in a script or notebook](../api.md) shows them at work.",
        "",
    ]
    lines += ["## import evoboard as eb", ""]
    for name in evoboard.__all__:
        lines += described(f"eb.{name}", getattr(evoboard, name))
    lines += ["## What they return", ""]
    for kind in (Game, MatchResult, Standings, Contest, Thought, Run, Rated, Picture, History):
        lines += described(kind.__name__, kind)
    lines += ["## Parts of a game's view", "", "`from evoboard.games import …`", ""]
    for kind in (View, Piece, MoveLook, Board):
        lines += described(kind.__name__, kind)
    return "\n".join(lines)


def described(name: str, thing: Any) -> list[str]:
    """Return a name with its signature, what it is, and the public members of a class."""
    shown = ""
    if not (inspect.isclass(thing) and issubclass(thing, Exception)):
        shown = re.sub(r"'([^']*)'", r"\1", str(inspect.signature(thing)))
        shown = re.sub(r"ForwardRef\(([^()]*)\)", r"\1", shown)
        shown = shown.replace("evoboard.", "").removesuffix(" -> None")
    lines = [f"### {name.removeprefix('eb.')}", "", "```py", f"{name}{shown}", "```", ""]
    lines += [inspect.cleandoc(thing.__doc__ or ""), ""]
    if inspect.isclass(thing):
        members = [
            (key, member)
            for key, member in _all_members(thing).items()
            if not key.startswith("_") and inspect.getdoc(member) and _is_member(member)
        ]
        lines += [
            f"- `{key}{taken(member)}`: {cell(inspect.getdoc(member))}" for key, member in members
        ]
        lines.append("")
    return lines


def taken(member: Any) -> str:
    """Return what a method takes, without types; "" for a property."""
    function = member.__func__ if isinstance(member, classmethod) else member
    if not inspect.isfunction(function):
        return ""
    found = list(inspect.signature(function).parameters.values())[1:]
    return f"({', '.join(str(p.replace(annotation=p.empty)) for p in found)})"


def _all_members(kind: type) -> dict[str, Any]:
    """Return what a class defines, and what it has from others of ours."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("evoboard.")]
    return {key: member for base in reversed(ours) for key, member in vars(base).items()}


def _is_member(member: Any) -> bool:
    return (
        isinstance(member, property | classmethod)
        or inspect.isfunction(member)
        or type(member).__name__ == "cached_property"
    )


# --- examples -----------------------------------------------------------------------------------


def examples_page() -> str:
    """Return the example games as they are."""
    lines = ["# Example games", "", "Each is one plain file, tested like the built-in games."]
    lines += ["[Your own game](../your-own-game.md) builds the first of them from nothing.", ""]
    for path in sorted((ROOT / "examples").glob("*.py"), key=lambda path: path.stat().st_size):
        lines += [f"## {path.name}", "", "```python", path.read_text(encoding="utf-8").strip()]
        lines += ["```", ""]
    return "\n".join(lines)


def notebook_page() -> str:
    """Return the notebook with what its cells gave when it was last run."""
    cells = json.loads((ROOT / "examples/tour.ipynb").read_text(encoding="utf-8"))["cells"]
    lines = list[str]()
    for one in cells:
        source = "".join(one["source"])
        if one["cell_type"] == "markdown":
            lines += [source, ""]
            continue
        lines += ["```python", source, "```", ""]
        for output in one["outputs"]:
            data = output.get("data", {})
            if "image/svg+xml" in data:
                lines += ["".join(data["image/svg+xml"]), ""]
            elif "text/html" in data:
                lines += ["".join(data["text/html"]), ""]
            else:
                text = output.get("text", data.get("text/plain", ""))
                lines += ["```text", "".join(text).rstrip(), "```", ""]
    return "\n".join(lines)
