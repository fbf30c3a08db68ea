"""Where evoboard meets other programs.

export/      networks in forms that others read
openspiel.py our games and players in OpenSpiel (openspiel_game.py has its classes)

A player as an engine in the interfaces that people of a game have:

opinion.py   a player's values as the centipawns that interfaces draw
thinking.py  one search in a thread of its own: watched, stopped, answered
engine.py    what every protocol needs: the game so far, limits, clocks
uci.py       the words of the Universal Chess Interface, for any game
hub.py       the words of Hub, version 2, for draughts
console.py   a conversation over standard input and output
"""
