"""Another agent's words for the shop, of the kind that language models choose; the expert's are in the domain."""

from agentgym.envs.customer_service.voice import Voice

CANCEL = (
    "I can cancel order {order} for you. The reason I'll record: {reason}. The full amount will be refunded to your "
    "original payment method. Would you like me to proceed? (yes/no)",
    "Here's what I'm about to do:\n- Cancel order: {order}\n- Reason: {reason}\n\nPlease confirm "
    "(yes) if you'd like me to "
    "go ahead.",
    "I found the order containing {items}. To confirm, you'd like to cancel the entire order because {reason}? "
    "Please reply 'yes' to proceed.",
)
RETURN = (
    "Great news: {items} can be returned. Your refund will go to {refund}. Would you like me to process this return?",
    "To confirm, here are the details of the return:\n- Item(s): {items}\n- Refund to: {refund}\n\nShall I proceed? "
    "(yes/no)",
    "Just to double-check: you'd like to return {items} and get the money back on {refund}. Is that correct?",
)
EXCHANGE = (
    "I can exchange {items} for the {wish} version, and use {payment} for any price difference. Would you like me to "
    "proceed with this exchange?",
    "Here is a summary of the exchange:\n- Current item: {items}\n- New variant: {wish}\n- Price "
    "difference: {payment}\n\n"
    "Do you confirm these details (yes/no)?",
)
SWAP = (
    "The {wish} variant is available. I can modify your order so that {items} is replaced with it. "
    "Do you want me to go "
    "ahead?",
    "I'll update {items} to the {wish} version, and the price difference will be settled with the "
    "payment method on the "
    "order. Please confirm with 'yes' and I'll take care of it.",
)
ADDRESS = (
    "I'll update the shipping address for order {order} to:\n\n{address}\n\nIs this correct? Please "
    "reply yes to confirm.",
    "To confirm, you'd like order {order} to be shipped to {address} instead. Shall I make this change?",
)
PAYMENT = (
    "I can switch the payment for order {order} to {payment}. The original charge will be refunded. "
    "Would you like me to "
    "proceed?",
    "Please confirm: change the payment method of order {order} to {payment} (yes/no)?",
)
CASE = (
    "I'm sorry to hear that! I can open a case with our warehouse team, and they'll get back to you within two working "
    "days. Would you like me to do that?",
    "I'd like to file a report with our warehouse about this. May I go ahead and open the case?",
)
STAFF = (
    "This needs to be handled by a member of our staff. Would you like me to transfer you to a human agent?",
    "One of our specialists has to take care of this. Shall I transfer you to them now?",
)
CANCELLED = ("Your order has been successfully cancelled. You'll see the refund shortly.",)
RETURNED = ("The return has been processed successfully!",)
CHANGED = ("I've successfully updated your order.",)
OPENED = ("I've opened the case for you. The warehouse team will reach out within two working days.",)
QUEUED = ("You have been transferred. A colleague will be with you shortly.",)

OTHER = Voice(
    asks={
        "name": ("Could you please provide your full name?",),
        "email": (
            "I'd be happy to help! To get started, could you please provide the email address associated "
            "with your account?",
            "Sure thing. What's the email address on your account?",
        ),
        "postcode": ("Could you also share the postcode of your address on file?",),
        "order": ("Could you please provide the order number?", "Which order is this regarding?"),
        "items": ("Which item are you referring to?",),
        "reason": (
            "May I ask why you'd like to cancel?",
            "Could you please let me know the reason for the cancellation? For example: changed mind, "
            "ordered by mistake, "
            "delivery too slow, or cheaper elsewhere.",
        ),
        "refund": (
            "Would you prefer the refund to your original payment method or to your gift card?",
            "Where would you like your refund to go?",
        ),
        "wish": ("Which variant would you like instead?",),
        "payment": (
            "Which payment method would you like to use?",
            "Could you let me know which payment method on file you'd like me to use for this?",
        ),
        "address": (
            "Could you please provide the complete new address, including the street, town and postcode?",
            "What's the new shipping address?",
        ),
        "trouble": ("Could you describe the problem?",),
        "rival": ("Which store offers the lower price?",),
        "owner": ("Whose order is it?",),
        "other": ("Which product would you like instead?",),
        "arrived": ("When was it delivered?",),
    },
    proposes={
        **dict.fromkeys(("cancel", "cancel_by_item", "cancel_instead"), CANCEL),
        **dict.fromkeys(("return", "return_rather", "return_rest"), RETURN),
        **dict.fromkeys(("exchange", "exchange_rather"), EXCHANGE),
        **dict.fromkeys(("swap", "swap_rather"), SWAP),
        **dict.fromkeys(("address", "address_rather"), ADDRESS),
        **dict.fromkeys(("payment", "payment_rather"), PAYMENT),
        "express": (
            "Express delivery for order {order} costs £8.95 instead of £3.95. Would you like me to upgrade it?",
            "I can upgrade order {order} to express delivery. Shall I proceed?",
        ),
        "default_address": (
            "I'll set your default address to {address}. Does that look right?",
            "Please confirm that I should save {address} as your new default address.",
        ),
        **dict.fromkeys(("trouble", "overdue"), CASE),
        **dict.fromkeys(("delete_account", "invoice", "injury"), STAFF),
    },
    done={
        **dict.fromkeys(("cancel", "cancel_by_item", "cancel_instead"), CANCELLED),
        **dict.fromkeys(("return", "return_rather", "return_rest", "exchange", "exchange_rather"), RETURNED),
        **dict.fromkeys(("swap", "swap_rather", "address", "address_rather", "payment"), CHANGED),
        **dict.fromkeys(("payment_rather", "express", "default_address"), CHANGED),
        **dict.fromkeys(("trouble", "overdue"), OPENED),
        **dict.fromkeys(("delete_account", "invoice", "injury"), QUEUED),
    },
    refuses={
        "window": (
            "I'm sorry, but according to our records this item was delivered more than 30 days ago, so it's no longer "
            "eligible for a return.",
            "I understand your frustration. However, our policy only allows returns within 30 days of "
            "delivery, and I'm "
            "unable to make exceptions.",
        ),
        "shipped": (
            "Unfortunately, this order has already been shipped, so I'm unable to make changes to it.",
            "I apologize, but I can't do that because the order is already on its way to you.",
        ),
        "not_yours": (
            "I'm sorry, but this order isn't associated with your account, so I'm unable to cancel it.",
            "I understand, but I can only cancel orders for the customer who placed them, and this one "
            "belongs to someone "
            "else.",
        ),
        "price_match": (
            "I'm sorry, but we don't offer price matching, so I'm unable to refund the difference.",
            "Unfortunately, I cannot match prices from other retailers.",
        ),
        "stock": (
            "Unfortunately, that variant is currently out of stock, so I can't make this change.",
            "I'm sorry, but it isn't available at the moment. I cannot place it on hold either.",
        ),
        "balance": (
            "I'm sorry, but the balance on your gift card isn't enough to cover this order, so I can't switch to it.",
            "Unfortunately your gift card has an insufficient balance for this order.",
        ),
        "refund_method": (
            "I'm sorry, but refunds can only go to the original payment method or to a gift card.",
            "Unfortunately I can't send the refund to a payment method that wasn't used for this order.",
        ),
        "final_sale": (
            "I'm sorry, but one of these is a final sale item and can't be returned.",
            "Unfortunately, final sale items are not eligible for return.",
        ),
        "other_product": (
            "I'm sorry, but items can only be exchanged for another variant of the same product.",
            "Unfortunately, I can't exchange it for a different product.",
        ),
    },
    tells={
        "refund_total": ("The total refund amount is £{text}.", "You'll receive £{text} in total."),
        "difference": ("The price difference is **£{text}**.",),
        "balance": ("Your gift card balance is currently £{text}.",),
        "order_total": ("The total for this order was £{text}.",),
        "spent": ("In total, you've spent £{text}.",),
        "tracking": ("Your tracking code is {text}.",),
        "new_total": ("Your new order total is £{text}.",),
    },
)
