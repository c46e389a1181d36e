"""The words of Heathline's customers: complete for every sheet, and fit for how agents put things."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.domains.telecom import TELECOM
from agentgym.envs.customer_service.domains.telecom.plans import PACKS, PLANS
from agentgym.envs.customer_service.expert import slots_of
from agentgym.envs.customer_service.sheet import CUSTOMER, Sheet
from agentgym.envs.customer_service.tasks import drawn

WORDS, VOICE = TELECOM.words, TELECOM.voice
SHEETS: list[Sheet] = [
    sheet for family in TELECOM.families for sheet in islice(drawn(TELECOM, family, "train"), 14)
]  # 23 families
EXAMPLE = {
    "amount": "23.40", "plan": "Willow 20", "pack": "3 GB", "price": "7.00", "country": "Italy", "text": "12.50",
    "other_phone": "0611 222 333", "relative": "sister", "result": "signal 5G",
}  # fmt: skip


# ---- Complete ------------------------------------------------------------------------------------------------------


def test_every_intent_fact_reason_and_topic_has_words_on_both_sides() -> None:
    assert len(SHEETS) > 300
    for sheet in SHEETS:
        for fact in (*sheet.facts, *sheet.unknown):
            assert WORDS.says[fact] and WORDS.names[fact] and WORDS.asked[fact] and VOICE.asks[fact]
        for goal in sheet.all_goals:
            known = {**sheet.facts, **goal.facts}.keys()
            for texts in (WORDS.wants[goal.intent], WORDS.again[goal.intent], WORDS.pretexts[goal.intent]):
                assert all(slots_of(text) <= set(goal.opens) for text in texts), (goal.intent, goal.opens)
            assert WORDS.acts[goal.intent]
            for fact in goal.facts:
                assert WORDS.says[fact] and WORDS.names[fact] and WORDS.asked[fact]
            for tell in goal.tells:
                assert WORDS.questions[tell.topic] and all("{text}" in text for text in VOICE.tells[tell.topic])
            if goal.reason:
                assert WORDS.refused[goal.reason]
                assert all(slots_of(text) <= known for text in VOICE.refuses[goal.reason])
            if any(call.side != CUSTOMER for call in goal.due):
                assert all(slots_of(text) <= known for text in VOICE.proposes[goal.intent])
            if goal.due:
                assert all(slots_of(text) <= known for text in VOICE.done.get(goal.intent, ()))


def test_nothing_is_there_that_no_sheet_uses() -> None:
    goals = [goal for sheet in SHEETS for goal in sheet.all_goals]
    assert {goal.intent for goal in goals} == set(WORDS.wants) == set(WORDS.again) == set(WORDS.acts)
    assert {goal.reason for goal in goals} - {""} == set(WORDS.refused) == set(VOICE.refuses)
    assert {tell.topic for goal in goals for tell in goal.tells} == set(WORDS.questions) == set(VOICE.tells)
    own = {name for name, tool in TELECOM.tools.items() if tool.side == CUSTOMER}
    assert own == set(WORDS.instructed) == set(WORDS.reports) == set(VOICE.instructs)


def test_there_are_four_wordings_of_everything() -> None:
    for table in (WORDS.wants, WORDS.again, WORDS.says, WORDS.pretexts, WORDS.questions, WORDS.reports):
        assert all(len(set(texts)) >= 4 for texts in table.values())
    for table in (VOICE.asks, VOICE.proposes, VOICE.done, VOICE.refuses, VOICE.tells, VOICE.instructs):
        assert all(len(set(texts)) >= 4 for texts in table.values())
    assert all("{value}" in text for texts in WORDS.says.values() for text in texts)
    assert all("{result}" in text for texts in WORDS.reports.values() for text in texts)


def test_choices_and_handles_know_what_the_records_hold() -> None:
    assert set(WORDS.choices["plan"]) == {plan["name"] for plan in PLANS.values()}
    assert set(WORDS.choices["pack"]) == {f"{size} GB" for size in PACKS}
    for fact, known in WORDS.choices.items():
        for value in known:
            named = {other for other, items in known.items() if any(re.search(item, value.lower()) for item in items)}
            assert named == {value}, fact
    for table in ("customers", "lines", "bills"):
        key = next(iter(TELECOM.database[table])).lower()
        assert sum(bool(re.fullmatch(handle, key)) for handle in WORDS.handles) == 1


def test_the_policy_names_tools_that_are_there_and_all_of_the_agents() -> None:
    named = set(re.findall(r"`(\w+)`", TELECOM.policy))
    agents = {name for name, tool in TELECOM.tools.items() if tool.side != CUSTOMER}
    assert named <= agents
    assert agents - named == {"get_customer", "get_bills", "get_plan"}  # they need no rule
    assert 60 <= len(TELECOM.policy.splitlines()) <= 120
    assert max(map(len, TELECOM.policy.splitlines())) <= 140


@pytest.mark.parametrize("size", PACKS)
def test_the_policy_says_what_packs_cost(size: int) -> None:
    assert f"{size} GB for {PACKS[size]}" in TELECOM.policy


# ---- The expert is understood --------------------------------------------------------------------------------------


def test_the_experts_questions_are_heard() -> None:
    for fact, texts in VOICE.asks.items():
        for text in texts:
            heard = hear(WORDS, text)
            assert heard.asks == (fact,) and not heard.proposes and not heard.instructs, text


def test_the_experts_proposals_are_heard_and_are_no_instructions() -> None:
    for intent, texts in VOICE.proposes.items():
        for text in texts:
            heard = hear(WORDS, text.format_map(EXAMPLE))
            assert heard.proposes and not heard.asks and not heard.instructs and not heard.either, text
            assert intent in (heard.agreed or heard.acts), text


def test_the_experts_refusals_are_heard_with_their_reason() -> None:
    for reason, texts in VOICE.refuses.items():
        for text in texts:
            heard = hear(WORDS, text.format_map(EXAMPLE))
            assert heard.refuses and reason in heard.reasons and len(heard.reasons) <= 2, (text, heard.reasons)
            assert not heard.instructs and not heard.asks and not heard.proposes, text


def test_what_the_expert_tells_is_nothing_else() -> None:
    for texts in (*VOICE.tells.values(), *VOICE.done.values()):
        for text in texts:
            heard = hear(WORDS, text.format_map(EXAMPLE))
            assert not (heard.instructs or heard.asks or heard.proposes or heard.refuses), text


# ---- So are others -------------------------------------------------------------------------------------------------

INSTRUCTIONS = [
    ("Could you please turn off Airplane Mode on your phone?", {"airplane_mode_off"}),
    ("It looks like airplane mode is enabled. Please toggle it off.", {"airplane_mode_off"}),
    ("Please make sure that flight mode is switched off.", {"airplane_mode_off"}),
    ("Go ahead and disable airplane mode, then tell me if you have a signal.", {"airplane_mode_off"}),
    ("Could you please enable mobile data?", {"mobile_data_on"}),
    ("Mobile data seems to be off. Can you switch it back on?", {"mobile_data_on"}),
    ("Please turn on cellular data in the quick settings panel.", {"mobile_data_on"}),
    ("Please turn your mobile data off for a moment.", {"mobile_data_off"}),
    ("Now please turn on data roaming on your device.", {"data_roaming_on"}),
    ("Please enable roaming in your phone's settings.", {"data_roaming_on"}),
    ("Please turn off roaming on your phone.", {"data_roaming_off"}),
    ("Please disable data saver mode.", {"data_saver_off"}),
    ("Your Data Saver is active. Please turn it off.", {"data_saver_off"}),
    ("Please restart the phone so that I can check the line again.", {"restart_phone"}),
    ("I see that a VPN is connected. Could you disconnect the VPN, please?", {"vpn_off"}),
    ("Please turn your VPN off and run a speed test afterwards.", {"vpn_off", "run_speed_test"}),
    ("Please change the preferred network mode from 3G only to automatic.", {"network_mode_automatic"}),
    ("Could you set your network type to Auto?", {"network_mode_automatic"}),
    ("Please remove the SIM card and reinsert it.", {"reseat_sim"}),
    ("Could you take the SIM out and put it back in?", {"reseat_sim"}),
    ("Please reset your APN settings to default and then restart your phone.", {"reset_access_point", "restart_phone"}),
    ("Please reboot your phone.", {"restart_phone"}),
    ("Try disabling Data Saver, please.", {"data_saver_off"}),
    ("Try switching airplane mode off.", {"airplane_mode_off"}),
    ("Switching airplane mode off should bring back your service. Can you do that now?", {"airplane_mode_off"}),
    ("Turning on mobile data should help. Could you try that?", {"mobile_data_on"}),
    ("Try enabling data roaming on the phone.", {"data_roaming_on"}),
    ("Can you pop out the SIM card and put it back in?", {"reseat_sim"}),
    ("Try resetting the APN settings, please.", {"reset_access_point"}),
    ("Could you try restarting your device?", {"restart_phone"}),
    ("Could you check the status bar at the top of your screen?", {"look_at_status_bar"}),
    ("What icons do you see at the top of your phone?", {"look_at_status_bar"}),
    ("Please open your network settings and tell me what is switched on.", {"look_at_settings"}),
    ("Could you check whether airplane mode is on?", {"look_at_settings"}),
    ("Is mobile data turned on?", {"look_at_settings"}),
    ("Please run a speed test and let me know the result.", {"run_speed_test"}),
    ("I've sent the payment request; please accept the request on your phone.", {"pay_request"}),
    ("You should now see a payment request on your phone. Please approve it.", {"pay_request"}),
]


@pytest.mark.parametrize("text, tools", INSTRUCTIONS)
def test_instructions_are_heard(text: str, tools: set[str]) -> None:
    heard = set(hear(WORDS, text).instructs)
    assert tools <= heard <= tools | {"look_at_settings"}, heard  # looking besides does no harm


NO_INSTRUCTIONS = [
    "Would you like me to enable roaming on your line?",
    "I can activate international roaming for your line. Shall I proceed?",
    "I'll enable data roaming on your line now, is that okay?",
    "Do you want me to turn on data roaming for your line?",
    "Your plan does not include roaming, so I can't enable it.",
    "I can send a payment request over 43.20 to your phone. Would you like me to do that?",
    "Do you confirm that I should send a payment request for 43.20 euros?",
    "I have allowed roaming on your line.",
    "I have switched data roaming on for your line, and we turned off nothing else on the phone.",
    "Shall I charge your card with 43.20 euros and resume the line?",
    "Your line was suspended because of an overdue bill.",
    "Is there anything else I can help you with?",
    "The network is down in your area until 18:30. You do not need to change anything on your phone.",
    "Please don't turn off mobile data.",
    "A restart is not needed.",
    "May I have your phone number and date of birth?",
]


@pytest.mark.parametrize("text", NO_INSTRUCTIONS)
def test_what_is_no_instruction_is_not_taken_for_one(text: str) -> None:
    assert hear(WORDS, text).instructs == ()


QUESTIONS = [
    ("To get started, could you please provide your phone number and date of birth?", {"phone", "birth_date"}),
    ("May I have the phone number associated with your account, and your DOB?", {"phone", "birth_date"}),
    ("Which number is affected?", {"phone"}),
    ("Please share your full name and birth date so I can look you up.", {"name", "birth_date"}),
    ("How much data would you like to add?", {"pack"}),
    ("Which data pack would you prefer: 1, 3, 5 or 10 GB?", {"pack"}),
    ("How many GB would you like?", {"pack"}),
    ("Which plan would you like to switch to?", {"plan"}),
    ("What country are you currently in?", {"country"}),
    ("Where are you travelling?", {"country"}),
    ("Which area do you live in?", {"area"}),
    ("Whose line is that?", {"relative"}),
]


@pytest.mark.parametrize("text, facts", QUESTIONS)
def test_questions_are_heard(text: str, facts: set[str]) -> None:
    assert set(hear(WORDS, text).asks) == facts


PROPOSALS = [
    ("no_service_card", "I see 43.20 overdue. Would you like me to charge your card on file and restore your service?"),
    (
        "settle_card",
        "I can process the payment of 43.20 with your card and reactivate the line. Do you confirm (yes/no)?",
    ),
    ("no_service_request", "I can send you a payment request for 43.20 euros. Would you like me to proceed?"),
    ("add_data", "Adding 3 GB will cost 7.00 euros on your next bill. Would you like to proceed?"),
    ("no_data_used_up", "You've used all your data. Would you like me to top up your line with 3 GB for 7.00?"),
    ("change_plan", "The monthly price is 21.90. Do you want me to switch your line to Willow 20?"),
    ("allow_roaming", "I can enable roaming on your line. Shall I go ahead?"),
    ("abroad_line", "Roaming is currently disabled for your line. Would you like me to enable roaming?"),
    ("lost_phone", "I can suspend your line right away so nobody can use it. Shall I do that?"),
    ("no_service_barred", "Would you like me to transfer you to our fraud team?"),
    ("port_number", "Shall I hand your request over to a colleague who handles porting?"),
    ("pay_bill", "Would you like me to charge 43.20 euros to the card on file?"),
]


@pytest.mark.parametrize("intent, text", PROPOSALS)
def test_proposals_are_heard(intent: str, text: str) -> None:
    heard = hear(WORDS, text)
    assert heard.proposes and intent in (heard.agreed or heard.acts) and not heard.instructs


REFUSALS = [
    ("unpaid_bill", "I'm sorry, but I can't resume your line: the bill is still unpaid."),
    ("unpaid_bill", "Unfortunately our system shows the bill as overdue, so I am unable to reactivate the line."),
    (
        "unpaid_bill",
        "I can't see any payment for this bill, there is no record of a payment. I cannot resume the line.",
    ),
    ("minimum_term", "I'm sorry, but you can't move to a cheaper plan during your minimum term."),
    ("minimum_term", "Unfortunately your minimum contract term runs until 2025-09-30, so a downgrade is not possible."),
    ("plan_withdrawn", "I'm afraid Willow 30 is no longer available."),
    ("plan_withdrawn", "Unfortunately, that plan has been discontinued."),
    ("data_limit", "I'm sorry, but that would exceed the limit of 12 GB per month."),
    ("data_limit", "Unfortunately I can't add 10 GB, the maximum is 12 GB of extra data a month."),
    (
        "not_the_holder",
        "I'm sorry, but I can only make changes to your own lines, and that number belongs to someone else.",
    ),
    ("not_the_holder", "Unfortunately I can't help with that line since you are not the account holder."),
    ("plan_without_roaming", "Unfortunately your plan does not include roaming, so I can't enable it."),
    ("plan_without_roaming", "I'm unable to do that because your current plan doesn't include roaming."),
    ("plan_withdrawn", "I'm afraid that plan isn't available for sale, so I can't switch you to it."),
    ("not_the_holder", "I can't do this, as that number isn't one of yours."),
    ("not_the_holder", "I can't access 0620 848 476 since it doesn't belong to your account."),
    ("plan_without_roaming", "I'm sorry, but roaming is not available on your current plan."),
]


@pytest.mark.parametrize("reason, text", REFUSALS)
def test_refusals_are_heard_with_their_reason(reason: str, text: str) -> None:
    heard = hear(WORDS, text)
    assert heard.refuses and reason in heard.reasons and len(heard.reasons) <= 2, heard.reasons
