"""Small models behind the columns of `traces`, `rtt` and `scope`: log_safe, rubric_relevance, teacher_logprobs.

`safety.SafetyEstimator` learns from labels of whole rollouts how safe each turn is; `relevance.RelevanceModel` learns
which turns a rubric is about; `teacher` scores the student's tokens under a teacher and weighs the two losses of SCOPE.
All of them need torch (extra `train`); importing this package does not.
"""
