from agentgym import credit

COVERED = {"ibpo": 1}


def edited_tokens(case, _):
    got = credit.edit_mask(case["inputs"]["wrong"], case["inputs"]["revised"])
    assert got.tolist() == case["expected"]


CHECKS = {"ibpo.edit_mask": edited_tokens}
