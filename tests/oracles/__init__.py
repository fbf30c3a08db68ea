"""Games written by others, spoken to in text, to check ours against. No rules live here."""
