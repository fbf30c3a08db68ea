"""The pages of the browser app. A new page is one file.

A page defines TITLE, PATH ("/play"), ICON (a Material icon's name), ORDER (its place among the
others) and `build(site)`, which makes its elements and may be a coroutine. An EvoboardError raised
by `build` is shown as text.

What a page is made of:

- `site` (web/site.py): `load_game(text)`, `games`, `sessions`, `query()`, what the address asks
  for; `address(path, t=…)` writes an address.
- `theme` (web/theme.py): `card(title)`, `heading`, `button`, `icon_button`, `dialog(title)` with
  `dialog_buttons`, `choice_list`, `Message`, `ProgressBar`, `PlayButton`, `set_class`,
  `complain(error)`, `replace_address`; a page is a `PagePart`. Classes instead of Tailwind:
  `stack`, `line` (`tight`), `grow`, `dim`, `small`, `number`, `cut`, and `game` (board and panel
  side by side).
- `Board` (web/board/board.py) shows any View, read only unless `playable`; `Viewer`
  (web/viewer.py) shows a whole game: board, bar, moves, graph, arrow keys.
- `off_loop(work, …)` (web/threads.py) runs whatever takes longer than a moment in a thread.
- `offers(game)` (web/opponents.py) lists players, `PlayerPicker` (web/player_picker.py) lets a
  visitor choose one; a text from a visitor goes through `require_offered` before it becomes a
  player. `ask_file` (web/file_dialog.py) loads one.

Open a game elsewhere: /play?game=…&opponent=…&side=0&start=…, /analysis?game=…&player=…&start=…,
or, for a session, ?t=NAME.
"""
