"""The encyclopedia and the questions that are shipped, both computed from public facts, and what makes and measures them."""
