"""BabyAI: grid instructions, in text."""
