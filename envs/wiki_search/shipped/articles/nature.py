"""Articles on mountains, rivers and other places of nature."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, said, several, single

WHERE: Final = (
    said("~lies in {in_country|list}", "the land it belongs to is {in_country|list}", "~is part of {in_country|list}"),
    said("~is found in {in_region|list}", "its place is {in_region|list}", "~belongs to {in_region|list}"),
    said("~belongs to {in_mountain_range|list}", "~is part of {in_mountain_range|list}"),
)
NATURE: Final = Wording(
    subjects=("the {type}",),
    pronoun="it",
    leads=(
        "~is {type|an}",
        "~is {type|an} in {in_country|list}",
        "~is {type|an} in {in_region|list}",
        "~is the name of {type|an}",
        "~, {type|an}, lies in {in_country|list}",
        "~, {type|an}, lies in {in_region|list}",
    ),
    blocks=(
        WHERE,
        (
            said(
                "its height is {height_ft} feet, or {height_m} metres",
                "~rises to {height_ft} feet ({height_m} metres)",
                "~is {height_m} metres, or {height_ft} feet, high",
            ),
            (
                said(
                    "of the mountains in these pages it is the {height_rank|sup}highest",
                    "~ranks {height_rank|nth} in height among the mountains described here",
                ),
                said("the next higher one is {next_higher}", "~is a little lower than {next_higher}"),
                said("the next lower one is {next_lower}", "~is a little higher than {next_lower}"),
            ),
            said("~flows into {flows_into}", "its waters reach {flows_into}", "its mouth is at {flows_into}"),
            said(
                "others of its kind in the same country are {fellow|list}",
                "in the same country one also finds {fellow|list}",
                "the same country has {fellow|list}, too",
                when=several("fellow"),
            ),
            said(
                "in the same country one also finds {fellow}",
                "the same country has {fellow}, too",
                when=single("fellow"),
            ),
        ),
    ),
)
