"""Messages of the kind that language models write to a shop's customers, with what they mean."""

ASKS: list[tuple[str, set[str]]] = [
    ("To get started, could you please provide the email address associated with your account?", {"email"}),
    (
        "I'd be happy to help you with that! Could you please provide your email address, or your full name "
        "and zip code, "
        "so I can verify your identity?",
        {"email", "name", "postcode"},
    ),
    ("I can help with that. To locate your account, may I have your full name and postcode?", {"name", "postcode"}),
    ("Could you please provide the order number for the order that contains the Linen Apron?", {"order"}),
    ("Which order would you like to cancel?", {"order"}),
    ("Do you happen to have the order ID? It starts with ORD-.", {"order"}),
    (
        "Could you let me know the reason for the cancellation? It can be one of: changed mind, ordered by mistake, "
        "delivery too slow, cheaper elsewhere.",
        {"reason"},
    ),
    ("May I ask why you want to cancel the order?", {"reason"}),
    ("Please provide the full new shipping address, including street, town and postcode.", {"address"}),
    ("What is the new address you'd like this order delivered to?", {"address"}),
    ("Where should we send the parcel instead?", {"address"}),
    ("How would you like to receive the refund: to the original payment method or your gift card?", {"refund"}),
    ("Would you like the refund to go back to your Visa card ending in 4242 or to your gift card?", {"refund"}),
    ("Where would you like the refund to be sent?", {"refund"}),
    (
        "Which payment method would you like to use for the price difference? You have:\n- Visa ending in 1234\n"
        "- Gift card (balance 35.20)",
        {"payment"},
    ),
    ("Which payment method should I use for this order instead?", {"payment"}),
    ("Which item would you like to return?", {"items"}),
    ("Could you tell me which colour and size you would like instead?", {"wish"}),
    ("What variant would you like to exchange it for?", {"wish"}),
    ("What would you like to exchange it for?", {"wish"}),
    ("Could you describe what's wrong with the item?", {"trouble", "items"}),
    ("When did you receive the parcel?", {"arrived"}),
    ("To proceed, I need the following:\n1. Your order number\n2. The reason for cancellation", {"order", "reason"}),
    ("Could you confirm your email address and the order number?", {"email", "order"}),
    ("Can I get your customer ID please?", {"customer_number"}),
    ("Whose order is this?", {"owner"}),
    ("Where did you see the lower price?", {"rival"}),
]
"""Text → the facts that it asks for."""

PROPOSALS: list[tuple[str, str]] = [
    (
        "I found your order ORD-48213. It contains a Linen Apron (navy, small) for £24.50. Cancelling will "
        "refund £28.45 "
        "to your Visa card. Reason: changed mind. Would you like me to proceed with cancelling this order? (yes/no)",
        "cancel",
    ),
    ("Just to confirm: you want to cancel order ORD-48213 because you no longer need it. Is that correct?", "cancel"),
    (
        "Here are the details:\n- Order: ORD-48213\n- Item: Linen Apron (navy, small)\n- Refund: £24.50 to "
        "your gift card\n"
        "\nDo you want me to go ahead with this return?",
        "return",
    ),
    (
        "I can exchange the Linen Apron (navy, small) for the sage, small version. The price difference of "
        "£1.65 will be "
        "charged to your Visa card ending in 1234. Do you confirm?",
        "exchange",
    ),
    ("I'll switch the Linen Apron in order ORD-48213 from navy to sage at no extra cost. Shall I proceed?", "swap"),
    (
        "I will update the shipping address on order ORD-48213 to 4 Kiln Street, York, YO1 7HH. "
        "Please confirm with a yes.",
        "address",
    ),
    (
        "I'll change the payment method for ORD-48213 to your Mastercard ending in 9912. The previous charge "
        "on your Visa "
        "will be refunded. Okay to go ahead?",
        "payment",
    ),
    (
        "Upgrading ORD-48213 to express delivery will cost an additional £5.00, for a new total of £60.20. "
        "Would you like me to proceed?",
        "express",
    ),
    ("I can open a case with our warehouse about the damaged Linen Apron. Would you like me to do that?", "trouble"),
    (
        "Your parcel was expected on 2027-03-15 and is overdue. Shall I open a 'not arrived' case for ORD-48213?",
        "overdue",
    ),
    (
        "This requires one of our staff members. Would you like me to transfer you to a human agent?",
        "delete_account",
    ),
    ("I'd need to pass this on to a colleague. Shall I transfer you to a member of our staff?", "injury"),
    ("I can set your default address to 4 Kiln Street, York, YO1 7HH. Shall I save this?", "default_address"),
]
"""Text → the act that it asks a yes for."""

REFUSALS: list[tuple[str, str]] = [
    (
        "I'm sorry, but this order was delivered on 2027-01-20, which is more than 30 days ago, so I'm "
        "unable to process "
        "a return.",
        "window",
    ),
    ("Unfortunately, the return window for this order has closed, so it can't be returned.", "window"),
    (
        "I understand you were told otherwise, but our policy only allows returns within 30 days of delivery. "
        "I cannot make an exception.",
        "window",
    ),
    (
        "Our records show that the parcel was delivered on 5 January, 72 days ago. Since that is outside our 30-day "
        "window I can't accept the return.",
        "window",
    ),
    ("Unfortunately, order ORD-48213 has already shipped and can no longer be cancelled.", "shipped"),
    ("I'm sorry, but since the order is already in transit I can't change the delivery address.", "shipped"),
    (
        "I'm afraid orders can only be cancelled while they are still processing, and yours has been shipped.",
        "shipped",
    ),
    ("I'm sorry, but order ORD-48213 isn't associated with your account, so I can't cancel it.", "not_yours"),
    (
        "I can't make changes to orders that belong to other customers. Your sister will need to contact us herself.",
        "not_yours",
    ),
    (
        "For privacy reasons I can only help with orders placed by you. This order is not linked to your account.",
        "not_yours",
    ),
    ("Unfortunately we don't offer price matching, so I'm unable to refund the difference.", "price_match"),
    ("I'm sorry, but we do not match prices from other shops.", "price_match"),
    ("Unfortunately, I cannot match prices from other retailers.", "price_match"),
    ("Unfortunately the sage version is currently out of stock, so I can't make this exchange.", "stock"),
    ("I'm sorry, the plum variant isn't available right now. Available options are navy and oat.", "stock"),
    (
        "I'm sorry, but your gift card balance of £12.30 isn't enough to cover the order total of £54.20.",
        "balance",
    ),
    (
        "Unfortunately the gift card only has £12.30 on it, and an order can't be split, so I can't switch "
        "the payment.",
        "balance",
    ),
    (
        "I'm sorry, but refunds can only be issued to the original payment method or to a gift card, so I "
        "can't send it "
        "to your Mastercard.",
        "refund_method",
    ),
    ("Unfortunately the Beeswax Candle is a final sale item and cannot be returned.", "final_sale"),
    (
        "I'm sorry, but exchanges are only possible for a different variant of the same product. I can offer a return "
        "instead.",
        "other_product",
    ),
    ("Unfortunately, I can't exchange an apron for a mug; exchanges must be within the same product.", "other_product"),
]
"""Text → the reason that it gives."""

IDLE: list[str] = [
    "I have found your account. Let me look up your order.",
    "Your order ORD-48213 is processing and contains a Linen Apron.",
    "One moment while I check the return window for you.",
    "Thank you, Maud. I can see two orders in your account.",
]
"""Texts that ask for nothing and refuse nothing."""
