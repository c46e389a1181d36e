"""The project's own domains."""
