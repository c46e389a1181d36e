"""Language models behind OpenAI-compatible endpoints: users, judges and policies that speak through one client."""
