"""EQ-Bench and EmoBench as evaluation tasks of one turn, with their own scoring.

They are a world of their own beside the seekers: nobody is talked to, nothing is drawn, and an answer is graded by the
benchmark's rule rather than by what it does to somebody.
"""
