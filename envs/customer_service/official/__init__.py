"""The official tools of tau-bench and tau2 on our database, their faults included; for their data alone.

Written from what the tools were seen to answer and to change; nothing here serves our own domains.
"""
