"""Selling honestly: buyers with needs and doubts, a catalogue of true facts, and what was said checked against it."""
