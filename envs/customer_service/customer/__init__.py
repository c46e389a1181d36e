"""Scripted customers: what they hear, what they decide, what they say."""
