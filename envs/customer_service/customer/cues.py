"""Cues: the turns of phrase by which an agent's sentence shows what it is, whatever the domain.

They were written from how support agents, people and language models, word things; no text of a domain or of the
expert is here. An entry is the words that may begin it, a bar, and a pattern for what follows. At one place the earlier
kind wins. Only what follows such a word is tried, so a sentence is read in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_DONE = (
    r"(?:cancel|book|chang|updat|modif|process|refund|return|exchang|add|remov|upgrad|downgrad|issu|appl|complet"
    r"|submitt|schedul|reschedul|restart|reboot|turn|block|unblock|reset|activat|deactivat|enabl|disabl|suspend|resum"
    r"|reinstat|restor|transferr|adjust|correct"
    r"|switch|mov|replac|credit|charg|renew|extend|open|creat|register|finali[sz]|fix|resolv|waiv|lift|plac|initiat"
    r"|arrang|assign|reserv|clos|link|set|sent|made|put|paid|done|taken|swapp|redirect|rerout|rebook|record|revers"
    r"|prolong|grant|unlock|terminat|topp|bar|reactivat|approv|sav|stor|log|forward|filed|schedul|settl"
    r"|accept)(?:led|ied|ed|d)?\b"
)
_PAST = (
    r"(?:cancell?ed|booked|changed|updated|modified|processed|refunded|exchanged|added|removed|upgraded|issued|applied"
    r"|completed|submitted|reset|activated|enabled|disabled|suspended|resumed|transferred|adjusted|switched|replaced"
    r"|credited|renewed|fixed|resolved|waived|placed|moved|swapped|rebooked|downgraded|extended)\b"
)
_SURE = r"(?:proceed|continue|go ahead|move forward|go forward|go on|finali[sz]e|complete (?:this|that|it|the))"
_GIVE = (
    r"(?:provide|share|tell|give|specify|send|enter|supply|state|list|type|indicate|spell|let (?:me|us) know|clarify"
    r"|repeat|remind|double-check|name|say(?! [\"']?yes)|verify|choose|select|pick|identify|advise|drop|pass|include"
    r"|quote|mention|leave|write|type|fill in)\b"
)
_WORK = (
    r"(?:check|look|pull|search|find|retrieve|review|verify|get|take|see|start|do|process|proceed|go|access|fetch|open"
    r"|begin|confirm that|investigate|run|locate|gather|try|have a)\b"
)
_ABLE = (
    r"(?: currently| longer| normally| actually| yet| really| be| been| an?| presently| something| going to)*"
    r" (?:able|possible|allowed|eligible|permitted|available|covered|refundable|entitled|authori[sz]ed|offered"
    r"|supported|(?:i|we)(?: can| could|'re able|'m able| am able| are able| do| offer| allow| provide)"
    r"|in a position|within|meet|qualif\w+|offer|allow|permit|support|accept\w*"
    r"|part of|included|among|on offer|option|cancell?able|changeable|returnable|free for you"
    r"|applicable|valid|the case that)"
)
_FIND = (
    r"(?: be)?(?: able)?(?: to)? (?:find|finding|locate|locating|see|seem|identify|verify|retrieve|look|pull"
    r"|match(?!(?: \w+){0,3} prices?\b)|recogni[sz]e|hear|understand|seeing"
    r"|have (?:an?|any|your|the|that)(?! (?:ability|authority|option|permission|means|way|right)))\b"
)
_FINE = (
    r"(?: all| all of it| still)? (?:ok|okay|correct|right|fine|good|acceptable|alright|all right|accurate|what you)\b"
)

_TABLE: Final[dict[str, tuple[str, ...]]] = {
    "undo": (
        r"cannot can won not|(?:'t)?(?: not| no longer| be able to)?"
        r" (?:be )?(?:undone|undo|reversed|reversible|reverted|reverse)\b",
        r"cannot can|(?:'t| not)? be (?:changed|modified|cancell?ed) (?:again|later|afterwards?|once"
        r"|after(?: (?:this|that|i|we|confirm\w*))?(?=[,.?!]|$| that| this))\b",
        r"no not isn|(?:'t)?(?: a)? (?:problem|worr(?:y|ies))\b",
    ),
    "lost": (
        r"couldn could can do don does doesn did didn have haven was wasn|(?:'t| not|not)" + _FIND,
        r"cannot|" + _FIND,
        r"unable not failed trouble difficulty|(?: able)?(?: to)?" + _FIND,
        r"no|(?: matching| such)? (?:record|account|order|reservation|customer|match|line|profile|booking)s?"
        r" (?:was |were |is |are )?(?:found|under|with|for|match)",
    ),
    "offer": (
        r"anything something|(?<!before anything) (?:else|more|further|other)\b",
        r"any some other further more additional another|(?<!for further)(?<!for any)(?: other| further| more"
        r"| additional)? (?:questions?|help|assistance|assist|requests?|concerns?|inquir\w+|matters?|support)\b",
        r"need have| anything\b",
        r"feel| free\b",
        r"don do|(?:'t| not) hesitate",
        r"have| an? (?:\w+ )?(?:great|nice|good|wonderful|lovely|pleasant|fantastic|amazing|safe|rest)\b",
        r"safe| travels",
        r"take| care\b(?! of)",
        r"goodbye bye farewell|(?= ?(?:[.!,]|$))",
        r"you|(?:'re| are) (?:very |most )?welcome\b",
        r"glad happy pleased| (?:i|we) (?:could|was|were)\b",
        r"thank thanks|(?: you)? (?:for|so much for) (?:contacting|choosing|calling|being|reaching|chatting)",
        r"what| else\b",
        r"is will| (?:that|this) (?:be )?(?:all|everything)(?: for (?:today|now|you|me))?(?: today)? ?\?",
    ),
    "yes": (
        r"would do did| you (?:like|want|wish|need)(?: for)? (?:me|us) to\b",
        r"would| you like to (?:" + _SURE + r"|confirm)",
        r"want like prefer need wish|(?: for)? (?:me|us) to\b",
        r"shall should| (?:i|we)\b",
        r"may| (?:i|we) take the (?:payment|money|amount)\b",
        r"may| (?:i|we)(?: now| just| then)* (?!have|ask|get|know|see|grab|take|trouble|please|also|kindly|just|now)\w",
        r"can may could| (?:i|we)(?: now| just| please)? (?:proceed|go ahead|finali[sz]e|continue with|move forward)",
        r"confirm reconfirm|(?<!^to confirm) (?:if|that|whether|this|these|it|everything|all of|below|here|by|with"
        r"|before|once|yes|so|you(?:'d|'re)?|and|then)\b",
        r"confirm| (?:the|your) (?:above|details|following|change|cancell?ation|return|exchange|refund|update|booking"
        r"|purchase|request|order|upgrade|payment|transaction|suspension|modification)s?\b"
        r"(?! (?:id|number|no\b|reference|code|method|address|email))",
        r"confirm| ?(?:[,.!?(]|$)",
        r"yes| ?(?:/|or) ?no\b",
        r"say reply respond answer type write|(?: back)?(?: with)?(?: a| the word)?(?: simple)? ?[\"'(]?yes\b",
        r"is are| (?:that|this|it|everything|these|those|all (?:of )?(?:this|that))" + _FINE,
        r"does do| (?:that|this|it|everything|these|all (?:this|that))(?: all)? (?:look|sound|work|suit|seem)\b",
        r"do can could would| you (?:confirm(?= ?(?:[?,]|$))|agree|approve|accept|consent|authori[sz]e)",
        r"are| you (?:ok|okay|happy|fine|sure|certain|comfortable|ready|in agreement|all right|alright|agreeable)\b",
        r"your|(?<!in your)(?<!on your)(?<!with your)(?<!thank you for your)(?<!thanks for your)(?<!from your)"
        r"(?: explicit| final| verbal| clear)? (?:confirmation(?! (?:number|code|e-?mail|id))|approval|consent"
        r"|go-ahead|permission|ok|okay|authori[sz]ation|agreement|yes)\b",
        r"sound sounds look looks| (?:good|right|ok|okay|correct|fine|alright)(?: to you)? ?\?",
        r"right correct yes ok okay agreed proceed alright fine| ?\?",
        r"ok okay fine good alright| with you ?\?",
        r"can could| (?:i|we)(?: now| just| then)* (?:save|do|make|change|set|book|cancel|add|send|place|process|submit"
        r"|enter|apply|put|switch|move|record|file|issue|arrange|charge) (?:that|this|it|them|these|those)\b",
        r"i we|(?:'ll| will|'d| would)?(?: just| only| still| first| also)* need (?:an?|your)"
        r"(?: (?!email|e-mail)[\w-]+)? (?:yes|go-ahead|ok|okay|approval|consent|permission"
        r"|confirmation)\b(?! (?:number|code|id|e-?mail))",
        r"go| ahead ?\?",
        r"add book cancel do change send save submit process| (?:it|that|this|them)(?: now| then| for you)? ?\?",
        r"would| (?:that|this|it|everything) (?:be (?:all right|ok|okay|fine|right|good|acceptable|alright|possible"
        r"|convenient|agreeable|correct|in order|something)|suit|work)\b",
        r"may shall should can| (?:i|we) ?\?",
        r"good| to go\b",
        r"okay ok|(?: for (?:me|us))? to\b",
        r"okay ok fine happy ready good|(?: with you)? (?:for|if) (?:me|i|we|us)\b",
    ),
    "go": (
        r"like want wish prefer ready happy okay ok fine agree care comfortable willing|(?: for)?(?: with)? to "
        + _SURE,
        r"if| you (?:agree|approve|consent)\b",
    ),
    "wonder": (
        r"how| (?:can|may|could|might) (?:i|we) (?:best )?(?:help|assist|be of|support)",
        r"what| (?:can|may|could) (?:i|we) (?:do|help|assist)\b",
        r"what|(?: would| do| did)? you(?:'d)?(?: would)? ?(?:like|want|need|wish)(?: for)?(?: me| us)?"
        r" (?:to (?:do|have|change|happen|modify)\b|help|done)",
        r"what| (?:are you|you are|you're) (?:looking|trying|hoping|calling)",
        r"how| (?:would you|you would|you'd|do you|should (?:i|we)|shall we|you want)(?: like| want| wish| prefer)?"
        r"(?: for)?(?: me| us)?(?: to)? (?:proceed|handle|continue|move|go)\b",
        r"what which| (?:changes?|modifications?|updates?)\b",
        r"what| (?:exactly|specifically)\b",
        r"what|(?:'s| is| seems)?(?: to be)? (?:the )?(?:issue|problem|matter|going on|wrong|happening|nature)\b",
        r"describe elaborate|\b",
        r"more| (?:about|(?:details|information) (?:about|on|of|regarding)) (?:your|the|what|this)\b",
        r"details nature| (?:of|about) (?:your|the) (?:request|issue|problem|inquiry)",
        r"what| brings you",
        r"what| (?:is|was) it (?:that )?you(?:'d| would)? (?:need|want|like)\b",
    ),
    "wait": (
        r"one a| (?:moment|second|minute|sec)\b",
        r"hold| on\b",
        r"bear| with\b",
        r"please| (?:wait|hold)\b",
        r"hang| on\b",
        r"right| (?:away|back)\b",
        r"working| on\b",
        r"let| (?:me|us)(?: go ahead and| just| quickly| now| first)* " + _WORK,
        r"i we|(?:'ll| will|'m going to| am going to|'m| am|'re)(?: now| just| go ahead and| quickly| first| then)* "
        + _WORK,
        r"i we|(?:'m| am|'re| are)(?: now| just)? (?:checking|looking|pulling|searching|retrieving|reviewing|processing"
        r"|proceeding)\b",
    ),
    "own": (
        r"i we|(?: can|'ll| will|'d| would|'m| am)?(?: be)?(?: able| happy| glad| here)?(?: to)?(?: also)?"
        r" (?:provide|share|send|give|tell|assist|help)\b",
        r"as| (?:i|you) (?:said|mentioned|requested|asked|told)\b",
        r"which|(?<=, which)(?= (?:is|are|was|were|has|have|can|cannot|could|will|would|should|may|means?|you|we|i"
        r"|it)\b)",
        r"that|(?<=\w that) (?:you|we) (?:received|got|were (?:given|sent)|can find|will find|find|sent|have|see"
        r"|placed|used|provided|gave|bought|made|booked)\b",
        r"you|(?:'ve| have)? (?:provided|gave|given|mentioned|told|shared)\b",
    ),
    "without": (
        r"until unless|\b",
        r"without|\b(?! (?:travel )?insurance\b| (?:any )?(?:fuss|delay|problems?|extra|additional)\b)",
        r"before| (?:i|we)\b",
        r"once| (?:i|we) (?:have|know|get|receive)\b",
        r"as| soon as (?:i|we) (?:have|know|get|receive)\b",
    ),
    "once": (r"once| you\b",),
    "confirm": (r"confirm reconfirm|\b",),
    "wh": (
        r"why|(?: on earth)? (?:can|could|won|don|didn|do|are|is|isn|would|wouldn)(?:'t|not| not)"
        r" (?:you|we|it|that|this|the|your)\b",
        r"is was| it (?=[^?]{1,60} or )",
        r"what which who whose whom where when how why|"
        r"(?:'s| is| are| was| would| do| did| does| much| many| long)?\b",
    ),
    "like": (
        r"would do did| you(?: also| still| rather| then| perhaps)?"
        r" (?:like|prefer|want|wish|rather|consider|need|be (?:interested|willing|open|okay|ok|happy))\b",
        r"interested| in\b",
        r"willing open| to\b",
        r"prefer|\b",
    ),
    "ask": (
        r"please kindly|(?: also| first| just| then| do| go ahead and)?(?: (?:re)?confirm or)? " + _GIVE,
        r"please kindly| have (?:your|the)\b",
        r"you| could (?:please |also |just )?" + _GIVE,
        r"you| (?:can|may|might)(?: also| just| either| simply| instead| alternatively)* (?:give|tell|send|provide"
        r"|share)\b",
        r"mind| (?:telling|giving|sharing|providing|sending)\b",
        r"help helps helpful| (?:me )?to know\b",
        r"can could would will| you(?: please| kindly| also| just| maybe| possibly| first| then)* " + _GIVE,
        r"i we|(?<!everything i)(?<!everything we)(?<!what i)(?<!what we)"
        r"(?:'ll| will|'d| would|'m going to|'m| am|'re| are)?(?: just| also| only| first| still| do| now| kindly"
        r"| need to| have to| must| be)*"
        r" (?:need|needing|require|ask (?:you )?for|missing|verify"
        r"|like (?:your|to (?:know|have|ask|verify|check|confirm your)))\b",
        r"i we|(?:'ll| will|'d| would)?(?: just| also| first| still)? (?:need|have|like|want|have) to know\b",
        r"may can could might| (?:i|we)(?: please| just| also| kindly)* (?:have|get|ask|know|see|grab|take|trouble)\b",
        r"need needed| (?:from you|you to|to (?:know|have|verify|ask|see)|your|the|an?)\b",
        r"let| (?:me|us) (?:know|have(?! an?\b)|get)\b",
        r"tell give send remind| (?:me|us)\b(?! (?:the|your|a)(?: final)? (?:go|ok|okay|green|confirmation|yes)\b)",
        r"provide share specify supply enter state|(?= (?:me|us|your|the|a|an|it|them|those|these|both|any|that|with"
        r"|either)\b)",
        r"do| you (?:happen to )?(?:have|know|remember|recall)\b",
        r"is are| (?:still )?(?:needed|required|necessary|missing)\b",
        r"looking ask asking| for (?:your|the)\b",
    ),
    "please": (r"please kindly| ?(?:[.!?]?$|,)",),
    "done": (
        r"has have|(?: now| already| just| also| all| both)* been(?: \w+ly)?(?: all)? " + _DONE,
        r"i we|(?:'ve| have)(?: now| just| already| also| \w+ly| gone ahead and)* " + _DONE,
        r"i we|(?: just| also| \w+ly| went ahead and)* " + _PAST,
        r"is are|(?: now| all| already)* (?:complete|completed|done|set|taken care|booked|cancell?ed|finali[sz]ed"
        r"|processed|sorted|resolved|fixed|updated|confirmed|active|activated)\b(?! to be)",
        r"was were|(?: \w+ly)? (?:cancell?ed|booked|changed|updated|processed|refunded|completed|added|made)\b",
        r"successfully|\b",
        r"you|(?:'re| are)(?: now| all| already)+ (?:booked|rebooked|confirmed|moved|upgraded|registered)\b",
        r"all|(?<!we're all)(?<!we are all) (?:set|done)\b",
        r"is are was were|(?: now| all| already| just)+ " + _DONE,
        r"it that this everything|(?:'s| is)(?: now| all| already)*(?: been)?(?: now| all)* (?:taken care|"
        + _DONE
        + ")",
        r"went gone| through\b",
        r"done completed sorted| ?[!.,:]",
        r"you|(?:'ve| have)(?: now| just| all)* been " + _DONE,
        r"is are| " + _DONE + r"(?= now\b)",
        r"is are|(?: now| all| already)* in place\b",
    ),
    "not": (
        r"cannot|\b",
        r"can could may couldn|(?:'t| not| no longer be)\b",
        r"won will would wouldn|(?:'t| not) (?:be (?:able|possible|eligible|allowed)|allow|permit|work|refund|qualify"
        r"|accept|take it|take them|honou?r|offer|cover)",
        r"not|" + _ABLE,
        r"isn aren wasn weren doesn don didn|'t" + _ABLE,
        r"no| longer" + _ABLE,
        r"unable ineligible impossible refuse decline deny prevents disallowed prohibited prohibits forbidden forbids"
        r" nonrefundable|\b",
        r"non|-(?:refundable|returnable|transferable|exchangeable)",
        r"wish| (?:i|we) could\b",
        r"follow stick adhere comply bound| (?:to |with |by )?(?:our|the|company)(?: \w+)?"
        r" (?:polic\w+|rules?|guidelines)\b",
        r"against outside beyond violate violates violation|(?: of)?(?: our| the| company| my)*"
        r" (?:polic\w+|rules?|authority|terms|scope|guidelines)\b",
        r"policy policies rules guidelines terms|(?: here| strictly)? (?:does|do|doesn't|don't|prevents?|prohibits?)\b",
        r"too| late\b",
        r"unfortunately sorry regrettably afraid|,? (?:but )?(?:no|not)\b",
        r"hands| are tied\b",
        r"don do doesn does|(?:'t| not) have (?:the |any |an? )?(?:ability|authority|option|permission|means|way)\b",
        r"has was been| (?:been )?(?:denied|rejected|declined)\b",
        r"there isn|(?: is|'s)?(?:n't| not|'t) (?:a way|anything|any way|much)\b",
        r"nothing| (?:i|we|more|else)\b",
        r"no| (?:way|option|possibility|refunds?|exceptions?|compensation|entitlement)\b",
        r"i we|(?: simply| just| generally| unfortunately)? (?:don't|do not)(?: \w+ly)? (?:do|match|offer|provide"
        r"|allow|make|reimburse|cover|honou?r|give"
        r"|accept|grant|refund|pay|sell|issue|compensate|support)\b",
        r"have must ll|(?: to)? (?:say no\b|turn (?:this|that|it|you) down|disappoint you)",
        r"can| only\b",
        r"only| (?:for (?:\w+ )?(?:members|customers)|the (?:\w+ )?(?:person|customer|holder|owner))\b",
        r"no| (?:\w+ )?(?:seats?|places?|spaces?|rooms?|stock|availability)\b",
        r"stays remains stay remain| (?:suspended|blocked|barred|locked|closed|as (?:it is|they are)|unchanged)\b",
        r"only| (?:\w+ )?(?:accepted|possible|allowed|permitted|authori[sz]ed|eligible)\b",
        r"too| (?:little|short|few|small|low|high)\b",
    ),
    "human": (
        r"transfer transferring connect connecting escalate escalating| (?:you |this |your \w+ )?to (?:an?|our|the"
        r"|another)\b",
        r"contact contacting| (?:an?|our|the) (?:\w+ )?(?:agent|team|department|specialist)",
    ),
    "sorry": (
        r"unfortunately regrettably regret|\b",
        r"sorry|(?=,? but\b|, (?!for\b|to\b|about\b|if\b|you\b|and\b)[\w'-]+ \w| (?:i|we)(?: can| am| are|')\b)",
        r"i|(?:'m| am) afraid\b",
    ),
    "if": (r"if once when whenever after while|\b", r"should| (?:you|it|they|there|anything|that|this|the)\b"),
    "end": (
        r"so| (?:that )?(?:i|we)\b",
        r"in| order to\b",
        r"because|\b",
        r"and|(?= (?:i|we)(?:'ll| will| can|'d| would)\b(?!'t| not))",
        r"to| (?:proceed|assist|help|access|look|locate|find|process|be able)\b",
    ),
}


Cue = tuple[str, int, int]
"""A cue in a sentence: its kind, and where it begins and ends."""


Tails = Mapping[str, tuple[re.Pattern[str], tuple[str, ...]]]
"""First word → a pattern for what may follow it, and the kind of each of its groups."""

_WORD = re.compile(r"\w+")


def _compile() -> Tails:
    """Return the table by first words: of each word the kinds in order, each a group of its pattern."""
    follows: dict[str, dict[str, list[str]]] = {}
    for kind, entries in _TABLE.items():
        for entry in entries:
            words, _, rest = entry.partition("|")
            for word in words.split():
                follows.setdefault(word, {}).setdefault(kind, []).append(rest)
    return {
        word: (re.compile("|".join(f"({'|'.join(some)})" for some in rests.values())), ("", *rests))
        for word, rests in follows.items()
    }


_TAILS = _compile()


def cues(sentence: str) -> list[Cue]:
    """Return the cues of a lower-cased sentence from left to right; none overlap."""
    found: list[Cue] = []
    last, tail_of = 0, _TAILS.get
    for word in _WORD.finditer(sentence):
        tail = tail_of(word[0])
        if tail is not None:
            start, end = word.span()
            if start >= last:
                match = tail[0].match(sentence, end)
                if match is not None:
                    last = match.end()
                    found.append((tail[1][match.lastindex or 0], start, last))
    return found
