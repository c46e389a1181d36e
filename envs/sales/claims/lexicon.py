"""How people speak of what products have, whatever the product: beside the words that a catalogue gives a fact.

A fact takes in the entries of which the key stands in its attribute. Turns of phrase stand apart by semicolons; what
stands in one may have "it", "the" and the like in between.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.sales.vocabulary import phrases, words

NAMES: Final[dict[str, str]] = {
    "weight": "weight; weigh; heavy; light; lightweight; featherweight; on the scales",
    "battery life": "battery life; battery lasts; battery runs; runs for; runs; lasts; keeps going; die after; dead"
    " after; empty after; give up after; runtime;"
    " playtime; playing time; per charge; one charge"
    "; single charge; lasts; before you need a socket; before it needs a charge; between charges; without charging"
    "; battery is good for; gets through",
    "charging": "charge in; charges in; full charge; fully charged; charging; recharge; charge takes; charging time"
    "; on the plug; to full; charge from empty",
    "range": "range; reach; connection; per charge; one charge; single charge; on a battery; single battery; before"
    " you need to"
    " plug"
    "; gets you; reaches",
    "length": "long; length; lengthwise",
    "width": "wide; width; across; broad",
    "height": "tall; height; high",
    "depth": "deep; depth",
    "size": "size; measures",
    "screen": "screen; display",
    "seats": "seat; sit; fits; room for; around it",
    "warranty": "warranty; warranties; guarantee; guaranteed for; covered for; coverage; cover",
    "return period": "return; returns; returned; returnable; send back; bring back; give back; take back; hand back"
    "; change your mind; refund; money back; withdraw; don't like it; cooling off; trying it out; try it at home",
    "delivery time": "deliver; delivered; delivery; delivery time; shipping; shipped; ships; ship; arrive; arrives;"
    " at your door"
    "; with you in; with you by; be with you; have it in; have it by; have it at; have it tomorrow; have it within;"
    " get it to you; get it in; get it by; get it within; get it tomorrow; get it the day; have it the day; at your"
    " place; there by; on your doorstep; reach you; be yours; in your hands"
    "; setting up; set up; up and running; in force; in your home; dispatch",
    "delivery price": "shipping; delivery; delivered; deliver; ship; ships; postage; shipping cost; delivery cost;"
    " delivery fee"
    "; delivery charge; freight; delivery price; shipping fee",
    "price": "list price; retail; retails; priced; price; cost; price tag; sells for; goes for; regular price",
    "restock": "back in stock; next delivery; next shipment; next batch; restock; again in; come in again",
    "stock": "in stock; available; left; units; on the shelf; in the warehouse; on hand; here",
    "speed": "connection; line; internet; download; speed; fast; as fast as; quick",
    "memory": "memory; ram",
    "storage": "storage; disk; space; drive; ssd",
    "power": "power; draws; uses; consumes; wattage",
    "noise": "noise; loud; quiet; decibel; noisy",
    "heat": "heat up; heats up; heat; hot; ready in; warm; warmed up; get hot; ready; warm up",
    "tank": "tank; reservoir; holds",
    "pressure": "pressure; brew at; pump",
    "trial": "trial; try; free month; to start with; free week; test it; test",
    "contract": "contract; term; commitment; commit; tied; tied in; bound; sign up for; locked in; minimum term",
    "term": "term; contract; commitment; tied; bound; minimum term; sign up for",
    "notice": "notice; cancel with; notice period",
    "uptime": "uptime; available; availability; up",
    "users": "user; seat; people; log in; login; account; team member",
    "setup fee": "setup; set up; setup fee; onboarding; installation fee; activation; activation fee; joining fee",
    "fee": "fee",
    "integrations": "integration; integrates with; connects to; connects with; app; connector; plugs into",
    "sum insured": "insured for; covered up to; covers up to; pays up to; pay out up to; limit; coverage",
    "deductible": "share; deductible; excess; out of pocket; pay yourself; first of a claim; own share; you pay the"
    " first",
    "waiting": "waiting period; wait; waiting; from the first minute; from day one; until you're covered",
    "claim": "claim paid; claim settled; pay claims; pay out; payout; settle; settle claims; paid out; claims",
    "discount": "discount; bonus; off",
    "deposit": "deposit; down payment; upfront; pay now; due on booking; on booking",
    "cancellation": "cancel; cancellation; call it off; back out; pull out",
    "nights": "nights; at sea; on board; week long; days long; long",
    "group": "guest; people; traveller; traveler; passenger; participant; group; person",
    "load": "load; carry; carries; takes up to; rated for; rated; holds; supports; rider; bear",
    "gears": "gear; speed",
    "motor": "motor; engine",
    "capacity": "battery; capacity",
    "programs": "program; programme; recipe; drink; setting; mode",
    "stops": "stop; stops at; visit",
    "islands": "island; stop",
    "ports": "port; socket; usb",
    "pieces": "piece",
    "colour": "colour; color; come in; finish",
    "material": "made of; made from; made out of; wood",
    "voltage": "voltage; runs on",
    "data": "data; data allowance; data volume",
    "screens": "screen",
    "speakers": "speaker",
    "length of stay": "trip; stay; holiday; away; there for",
    "beach": "sea; beach; shore; water",
    "response": "replies; reply; answers; respond; get back to you; support",
}
"""Beginning of an attribute, or a word in it, and other names for it."""

HAS: Final[dict[str, str]] = {
    "waterproof": "waterproof; water proof; watertight; water tight; submersible; underwater; under water; swim;"
    " shower"
    "; keeps water out; handle rain; rainproof",
    "noise cancelling": "noise cancelling; noise cancellation; noise canceling; blocks out noise; cancels noise",
    "foldable": "fold; foldable; folding; fold flat",
    "removable": "removable; take out; comes out; detachable; detach; remove; slides out",
    "extend": "extend; extendable; extension; pull out; leaf",
    "assembly": "assembly; assemble; put together; screw together; build yourself; build together",
    "brushless": "brushless",
    "hammer": "hammer; hammer function; hammer action; concrete; masonry; brick",
    "offline": "offline; without internet; without a connection; work on the plane",
    "phone support": "phone support; by phone; support by phone; call us; ring us; give us a ring; over the phone;"
    " hotline; phone line",
    "encrypt": "encrypt; encryption; encrypted",
    "theft": "theft; burglary; stolen; break in; burglar",
    "fire": "fire",
    "flood": "flood; flooding; water damage from outside",
    "bicycle": "bicycle; bike",
    "dishwasher": "dishwasher; dishwasher safe; dishwasher proof",
    "grinder": "grinder; grind; whole beans",
    "frother": "frother; froth; steam wand; foam milk; milk foam",
    "wifi": "wifi; wi fi; internet; wireless internet",
    "balcony": "balcony; balconies",
    "breakfast": "breakfast",
    "drinks": "drinks; open bar; all inclusive; beverage; bar",
    "flights": "flight; airfare; plane ticket; fly you",
    "lights": "light; lights; lamp",
    "lock": "lock",
    "chairs": "chair",
    "case": "case; carrying case; bag; pouch",
    "bits": "bit; drill bit",
    "touch": "touch screen; touchscreen; touch",
    "technician": "technician; installation; install; installer; engineer",
    "fixed ip": "fixed ip; static ip",
    "fast charging": "fast charging; quick charge; fast charge",
    "bluetooth": "bluetooth; wireless",
    "charger": "charger",
    "adjust": "adjustable; adjust; raise and lower; sit and stand",
}
"""Word of an attribute that is a yes or no, and other names for having it."""

LACKS: Final[dict[str, str]] = {
    "brushless": "brushed; brushed motor; carbon brushes",
    "assembly": "fully assembled; comes assembled; ready assembled; preassembled; pre assembled; already assembled;"
    " no tools needed"
    "; ready to use out of the box; assembled for you; in one piece",
    "removable": "built in; fixed; can't be taken out; cannot be taken out; stays in the frame; glued in",
    "waterproof": "keep dry; away from water; not survive water",
    "included": "",
    "adjust": "height can't be changed; height cannot be changed; fixed height; height is fixed; not adjustable;"
    " can't be adjusted",
}
"""Word of an attribute that is a yes or no, and names for lacking it."""

NOTHING: Final[dict[str, str]] = {
    "contract": "month to month; leave whenever; leave any time; leave anytime; quit any time; quit any month;"
    " cancel any month",
    "minimum term": "month to month; leave whenever; leave any time; leave anytime; quit any time; quit any month;"
    " cancel any month",
    "notice": "without notice; no notice; effective immediately",
    "cancellation": "until the day before; until the last minute; at the last minute; on the day; up to the day before",
    "waiting": "from the first minute; from day one; right away; immediately; from the first day; straight away",
    "return period": "don't take returns; don't accept returns; don't do returns; don't offer returns; final sale;"
    " sales are final; can't be returned; cannot be returned; not returnable; no"
    " returns; can't return"
    "; can't send back; no refunds; can't take back; non returnable; can't give back",
    "warranty": "as is; without warranty",
}
"""Word of an attribute that is a number, and what says that it is none at all."""

ENDLESS: Final[dict[str, str]] = {
    "warranty": "lifetime; for life; forever; lifelong; as long as you own; as long as you live",
    "users": "as many users as you like; as many users as you want; as many users as you need; unlimited; as many"
    " users as you want; as many as you like",
    "storage": "unlimited; endless; limitless",
    "return period": "whenever you like; any time you want",
    "data": "unlimited",
    "integrations": "unlimited",
    "drinks": "",
}
"""Word of an attribute that is a number, and what says that it has no end."""

PREDICATES: Final = words(
    "is are was has have had got get gets getting come comes came include includes included"
    " including cover covers covered"
    " insures insure insured protect protects protected offer offers offered work works support supports feature"
    " features provide provides contain contains handle handles pay pays make makes do does did can could will would"
    " isn't aren't wasn't hasn't haven't doesn't don't didn't can't cannot won't couldn't wouldn't it's they're you're"
    " there's that's we're i'm you'll it'll they'll we'll i'll you've we've they've you'd it'd they'd we'd i'd need"
    " needs"
    " fold folds froth froths grind grinds extend extends take takes speaks speak measures runs carries ships ship"
    " weighs weigh drills drill holds goes fits uses let lets what's here's who's where's having"
    " may might must sells sell sold costs cost add adds added lacks lack throw use be been"
)
"""Words by which a clause says something of its own."""

DENIALS: Final = words(
    "no not never none nothing neither nor without cannot hardly barely lacks lack lacking"
    " excluded excludes exclude"
    " isn't aren't wasn't hasn't haven't doesn't don't didn't can't won't couldn't wouldn't shouldn't ain't weren't"
    " hadn't"
    " separately separate optional extra missing zero"
)
"""Words that turn what their clause says of having something into the contrary."""

IDLE_DENIALS: Final = phrases(
    "no problem; no problems; no worries; no doubt; no strings; no questions; no issue; no rush; not only;"
    " not just;"
    " no extra; no additional; don't worry; not to worry; no need to; can't wait; no charge; no cost; nothing extra;"
    " no wonder; without extra; without a doubt; without question; not to mention; why not; even without;"
    " nothing beats;"
    " no matter; won't hide; won't lie; don't forget; can't complain; no surcharge; at no; without paying;"
    " not an issue;"
    " not a problem; isn't a problem; no longer a worry; won't regret; no fuss; no trouble; no limit; never worry;"
    " not worry; extra charge; extra cost; extra long; extra large; extra light; won't disappoint;"
    " won't be disappointed; don't have to worry; don't need to worry; nothing to worry; no catch; no joke"
)
"""Turns of phrase with a word of `DENIALS` that deny nothing."""
