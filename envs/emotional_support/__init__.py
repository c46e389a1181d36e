"""emotional_support: a seeker in distress, a supporter, and EMPA's rules of what helps."""
