"""The encyclopedia and the questions that are shipped, computed from public facts, and what makes and measures them."""
