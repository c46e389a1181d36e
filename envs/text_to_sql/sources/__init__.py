"""Readers of public data sets, one layout a module."""
