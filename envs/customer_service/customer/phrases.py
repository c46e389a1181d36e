"""The common grammar of customers: what they say in every domain, coloured by mood.

A key's texts are those for all moods ("") and those of one mood; `say` draws among both. No text states anything about
a customer's affair: facts stand in task sheets and in the words of the domains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MOODS: Final = ("calm", "hurried", "grumpy", "chatty")

PHRASES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "greet": {
        "": ("Hi.", "Hello.", "Hello there.", "Hi there."),
        "calm": ("Good day.", "Hello, I hope you can help me.", "Hi, thanks for taking this.", "Good morning."),
        "hurried": ("Hi, I haven't got long.", "Hey, quick one.", "Hello, I'm in a rush.", "Hi, let's be quick."),
        "grumpy": ("Finally.", "Right, hello.", "Hello. I hope this won't take all day.", "So. Hello."),
        "chatty": (
            "Hi there, how are you doing?", "Hello hello!", "Hi! So glad to get through to somebody.",
            "Hey there, hope your day is going well!",
        ),
    },
    "help": {
        "": ("", "", "", "Can you help me with that?", "Can you do that?", "Could you look into it?"),
        "calm": ("I would be grateful for your help.", "Would that be possible?"),
        "hurried": ("Please be quick.", "As fast as you can, please."),
        "grumpy": ("And please get it right.", "I hope that's not too much to ask."),
        "chatty": ("You'd make my day!", "I've been meaning to write to you about it for ages."),
    },
    "sure": {
        "": ("", "", "", "Sure.", "Of course."),
        "calm": ("Certainly.", "Sure, here you go.", "Yes, one second.", "All right."),
        "hurried": ("", "Quickly:", "Yep.", "OK."),
        "grumpy": ("If you must know.", "Fine.", "Well, all right.", "Again with the questions."),
        "chatty": ("Oh, sure thing!", "Happy to tell you.", "Of course, of course.", "Sure, let me see."),
    },
    "as_said": {
        "": ("As I said.", "I already told you.", "Again:", "Once more:"),
        "calm": ("I think I mentioned it.", "As before.", "The same as I said."),
        "hurried": ("I've told you this.", "No time to repeat things."),
        "grumpy": ("Do you even listen?", "How often do you want to hear it?"),
        "chatty": ("Didn't I say that already? Anyway.", "Oh, I thought I'd told you."),
    },
    "forgot": {
        "": (
            "I don't remember {what}.", "I can't recall {what}.", "I don't have {what} with me.",
            "Sorry, I don't know {what}.", "I have no idea about {what}.",
        ),
        "calm": ("I'm afraid I don't remember {what}.",),
        "hurried": ("No idea about {what}, and no time to look.",),
        "grumpy": ("How am I supposed to know {what}?", "I don't keep {what} in my head."),
        "chatty": ("Oh dear, I really can't remember {what}.", "You know, I never can remember {what}."),
    },
    "nothing": {
        "": (
            "I've got nothing to say about {what}.", "I can't tell you anything about {what}.",
            "As for {what}, I have nothing in mind.",
        ),
        "hurried": ("Nothing to add about {what}.",),
        "grumpy": ("What does {what} have to do with it?",),
        "chatty": ("Hmm, I really couldn't say anything about {what}.",),
    },
    "yes": {
        "": (
            "Yes, please.", "Yes, please do.", "Yes, go ahead.", "Yes, that's right, please go ahead.", "Yes.",
            "Yes, I confirm.", "Yes, do it.",
        ),
        "calm": ("Yes, that is what I want, thank you.", "Yes, please proceed.", "Yes, I agree to that."),
        "hurried": ("Yes, quickly please.", "Yes yes, go.", "Yep, do it."),
        "grumpy": ("Yes, what else?", "Yes, obviously.", "Yes, just get it done."),
        "chatty": ("Oh yes, please, that would be lovely.", "Yes, absolutely, go right ahead!", "Yes, perfect!"),
    },
    "no": {
        "": ("No, that's not what I want.", "No, not that.", "No, that isn't what I asked for.", "No, please don't."),
        "calm": ("I'm sorry, no.", "No, I would rather not.", "No, there is a misunderstanding."),
        "hurried": ("No, no.", "No, wrong."),
        "grumpy": ("No! Do you listen at all?", "No. Absolutely not.", "Certainly not."),
        "chatty": ("Oh no, no, that's not it at all.", "Hmm, no, I don't think so."),
    },
    "either": {
        "": ("Only what I asked for.", "Not both, please.", "Let me say it once more."),
        "grumpy": ("It's not that hard.",),
        "chatty": ("Oh, decisions, decisions!",),
    },
    "unclear": {
        "": (
            "I don't quite understand.", "Sorry, I don't follow.", "What do you mean?", "I'm not sure what that means.",
            "That doesn't help me.", "Sorry, what?",
        ),
        "calm": ("I'm afraid I don't understand that.", "Could you put that differently?"),
        "hurried": ("I don't have time for this.", "Get to the point, please."),
        "grumpy": ("That makes no sense.", "What is that supposed to mean?"),
        "chatty": ("Hm, you've lost me there.", "Oh, I'm a bit confused now."),
    },
    "silence": {
        "": ("Hello?", "Are you still there?", "Hello, is anybody there?", "Can you hear me?"),
        "hurried": ("Hello? I'm waiting.",),
        "grumpy": ("Anybody?", "Has everyone gone home?"),
        "chatty": ("Helloo? I think you went quiet.",),
    },
    "reminder": {
        "": (
            "{again}", "{again}", "I'm still here for this: {again}", "All I want is this: {again}", "Again: {again}",
            "To be clear: {again}",
        ),
        "calm": ("Let me say it again: {again}",),
        "hurried": ("In short: {again}",),
        "grumpy": ("For the last time: {again}",),
        "chatty": ("So, what I was saying: {again}",),
    },
    "wish": {"": ("{wants}",)},
    "why": {
        "": ("Why not?", "And why is that?", "Can you tell me why?", "For what reason?", "Why can't it be done?"),
        "calm": ("May I ask why?",),
        "hurried": ("Why? Short version, please.",),
        "grumpy": ("Oh really? And why not?", "That's no answer. Why?"),
        "chatty": ("Oh, but why on earth not?",),
    },
    "doubt": {
        "": (
            "I don't think that's true.", "That can't be the reason.", "I doubt that.", "That doesn't sound right.",
            "Are you certain? That doesn't fit.",
        ),
        "calm": ("I believe there is a mistake.",),
        "hurried": ("That's not it, check again.",),
        "grumpy": ("Nonsense.", "You're making that up."),
        "chatty": ("Hmm, that's not how I know it.",),
    },
    "unlooked": {
        "": (
            "How would you know? You haven't even looked.", "Have you looked it up at all?", "Please look it up first.",
            "Without looking? Please check first.", "Could you at least check before saying that?",
        ),
        "calm": ("Would you mind looking at it first?",),
        "hurried": ("You haven't checked. Check.",),
        "grumpy": ("You didn't even look!",),
        "chatty": ("Wait, don't you need to look that up first?",),
    },
    "many": {
        "": (
            "That's a lot of reasons at once; which one is it?", "Now which of all that is it?",
            "I don't follow, you're naming everything at once.",
        ),
        "grumpy": ("You're just throwing everything at me.",),
        "chatty": ("Whoa, slow down, that's too much for me.",),
    },
    "push": {
        "": (
            "Isn't there any way around that?", "Could you make an exception?", "Surely something can be done.",
            "Please, try once more.", "I'd really need this done.",
        ),
        "calm": ("I would really appreciate it.",),
        "hurried": ("Can't you just do it?",),
        "grumpy": ("That's not good enough.", "I'm not accepting that."),
        "chatty": ("Oh come on, pretty please?",),
    },
    "give_in": {
        "": ("All right.", "OK, I see.", "Fine, if that's how it is.", "Well, then not.", "OK, I accept that."),
        "calm": ("I understand.", "All right, thank you for explaining."),
        "hurried": ("OK, never mind.", "Fine, moving on."),
        "grumpy": ("Unbelievable. Fine.", "Well, that's that, then."),
        "chatty": ("Aw, what a pity. OK then.", "Oh well, it was worth a try."),
    },
    "instead": {
        "": ("Then:", "In that case:", "Then do this instead:", "What about this, then:"),
        "calm": ("Then I would ask for something else.",),
        "chatty": ("So, plan B!", "Let's try another thing, then."),
    },
    "drop": {
        "": (
            "That's disappointing. Then leave it.", "Forget it, then. I'm disappointed.", "Well, then I'll do without.",
            "Then never mind. I expected more.",
        ),
        "calm": ("I'm sorry to hear it. Let's leave it.",),
        "hurried": ("No time to argue. Forget it.",),
        "grumpy": ("Useless. Forget it.",),
        "chatty": ("Oh, that's a real shame. Never mind, then.",),
    },
    "unseen": {
        "": (
            "I don't see it on my side yet.", "I can't see that anything has changed.", "It doesn't show up here yet.",
            "On my end it looks the same as before.", "Hm, I don't see that it's done.",
        ),
        "hurried": ("Nothing here yet. Please hurry.",),
        "grumpy": ("Done? I see nothing of the kind.",),
        "chatty": ("Funny, I'm looking at it and I don't see it.",),
    },
    "missing": {
        "": ("One thing, though:", "And:", "But tell me:", "Before I go:", "I'd still like to know:"),
        "hurried": ("Quick question:",),
        "grumpy": ("You forgot something.",),
        "chatty": ("Oh, and one more thing:",),
    },
    "noted": {
        "": ("OK.", "Good.", "I see.", "Thanks.", "Got it."),
        "hurried": ("OK OK.",),
        "grumpy": ("Hm.",),
        "chatty": ("Oh, interesting!", "Good to know!"),
    },
    "wait": {
        "": ("OK, I'll wait.", "Sure, take your time.", "All right.", "OK.", "I'm here."),
        "hurried": ("OK, but be quick.", "Please hurry."),
        "grumpy": ("How long is this going to take?", "I've waited long enough, but fine."),
        "chatty": ("No rush, I've got my tea here.", "Sure, I'll just hum a bit."),
    },
    "busy": {
        "": ("That's too much at once, one thing after the other, please.", "One step at a time, please."),
        "grumpy": ("I've only got two hands.",),
        "chatty": ("Oh, slow down, I can't do all that at once!",),
    },
    "unable": {
        "": ("I don't know how to do that.", "I can't find where to do that.", "That doesn't work for me."),
        "chatty": ("Oh, I'm hopeless with such things, I can't do that.",),
    },
    "changed": {
        "": (
            "Actually, wait, I've changed my mind.", "Hold on, I'd rather have something else.",
            "Wait, on second thoughts:", "Hm, no, actually:", "Sorry, I've thought about it again.",
        ),
        "calm": ("Excuse me, I have reconsidered.",),
        "hurried": ("Stop, change of plan.",),
        "grumpy": ("No, forget that.",),
        "chatty": ("Oh, you know what? I've just had another thought.",),
    },
    "next": {
        "": ("I have another request.", "Next thing:", "There's something else.", "And then:", "One more thing:"),
        "calm": ("May I ask for something else as well?",),
        "hurried": ("Next.", "Quickly, another thing."),
        "grumpy": ("That's not all.", "And another thing:"),
        "chatty": ("While I have you on the line!", "Oh, and since you're so helpful:"),
    },
    "thanks": {
        "": ("Thank you.", "Thanks.", "Great, thanks.", "Good, thank you.", "Perfect, thank you."),
        "calm": ("Thank you, that was helpful.",),
        "hurried": ("Thx.", "Great."),
        "grumpy": ("Well, that took a while.", "About time."),
        "chatty": ("Wonderful, thank you so much!", "You're a star, thank you!"),
    },
    "bye": {
        "": ("That's all. Goodbye.", "That was everything. Bye.", "That's it from me. Goodbye.", "Bye."),
        "calm": ("That is all I needed. Have a good day.",),
        "hurried": ("Got to go. Bye.", "That's it, bye."),
        "grumpy": ("That's all, then. Bye.", "Goodbye."),
        "chatty": ("That's all, it was lovely talking to you. Bye-bye!", "Have a wonderful day, bye!"),
    },
    "leave": {
        "": (
            "This leads nowhere. I'm leaving.", "I've had enough of this. Goodbye.", "I give up. Bye.",
            "I'll try elsewhere. Goodbye.",
        ),
        "hurried": ("I'm out of time. Bye.",),
        "grumpy": ("What a waste of time. Goodbye.",),
        "chatty": ("I'm sorry, but I really don't feel heard. Goodbye.",),
    },
}  # fmt: skip
