"""The charts of the Train page, one file each; `base.py` says what a chart is."""
