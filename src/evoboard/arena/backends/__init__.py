"""Where games between networks are played, one backend a file; `base` has the contract."""
