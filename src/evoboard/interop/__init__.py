"""Where evoboard meets other programs.

export/      networks in forms that others read
openspiel.py our games and players in OpenSpiel (openspiel_game.py has its classes)

A player as an engine in the interfaces that people of a game have:

limits.py    what a move may cost, and a clock's share for it
line.py      a start position and the moves from it
opinion.py   a player's values as the centipawns, men and mates that interfaces draw
mind.py      a player whose search can be limited anew for every move, and looked at
thinking.py  one search in a thread of its own: watched, stopped, answered
engine.py    all of this together: what every protocol needs
uci.py       the words of the Universal Chess Interface, for any game
hub.py       the words of Hub, version 2, for draughts
console.py   a conversation over standard input and output
"""
