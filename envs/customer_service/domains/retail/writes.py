"""The writing tools of the shop; each checks all its conditions, and a refused one leaves everything as it was."""

# ruff: noqa: D417 - the desk is no argument of the tool, and Args is what the agent reads

from __future__ import annotations

from datetime import date
from typing import Any, ClassVar, Literal

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.domain import Desk, Domain, Refused, serves
from agentgym.envs.customer_service.domains.retail import ledger, rows

Reason = Literal["changed mind", "ordered by mistake", "delivery too slow", "cheaper elsewhere"]
Trouble = Literal["damaged", "missing item", "wrong item", "not arrived"]
Handover = Literal["account deletion", "business invoice", "safety concern"]
Speed = Literal["standard", "express"]


class Writes(Domain):
    """The tools that change orders and customers."""

    clock: ClassVar[str] = rows.CLOCK

    @serves("write")
    def cancel_order(self, desk: Desk, *, order_id: str, reason: Reason) -> Any:
        """Cancel a whole order that is still processing; what was paid goes back to the methods that paid.

        Args:
            order_id: such as ORD-48213.
            reason: why the customer cancels.
        """
        found = ledger.processing(desk, order_id, "it can be cancelled")
        for item in found["lines"]:
            ledger.shelve(desk, item["variant_id"], item["quantity"])
        refunds = {method: sum_ for method, sum_ in ledger.charged(found).items() if sum_}
        for method_id, paid in refunds.items():
            found = ledger.pay(desk, found, method_id, -paid)
        gone = [{**item, "status": "cancelled"} for item in found["lines"]]
        delivery = {**found["delivery"], "fee": money.text(0)}
        found = {**found, "status": "cancelled", "lines": gone, "delivery": delivery, "cancel_reason": reason}
        desk.set("orders", found["order_id"], found)
        back = {method_id: money.text(paid) for method_id, paid in refunds.items()}
        return {"order_id": found["order_id"], "status": "cancelled", "refunded": back}

    @serves("write")
    def change_item(self, desk: Desk, *, order_id: str, variant_id: str, new_variant_id: str) -> Any:
        """Change a line of an order that is still processing to another variant of the same product.

        The difference in price is charged or refunded to the method that the order is paid with.

        Args:
            order_id: such as ORD-48213.
            variant_id: the variant that the line holds.
            new_variant_id: the variant wanted instead; it must be in stock.
        """
        found = ledger.processing(desk, order_id, "its items can be changed")
        old = ledger.line(found, variant_id)
        new = ledger.sibling(desk, old, new_variant_id)
        ledger.shelve(desk, new["variant_id"], -old["quantity"])
        ledger.shelve(desk, old["variant_id"], old["quantity"])
        changed = {
            **old,
            "variant_id": new["variant_id"],
            "options": new["options"],
            "unit_price": new["price"],
        }
        if changed["variant_id"] in [item["variant_id"] for item in found["lines"]]:
            raise Refused(f"order {found['order_id']} has a line with {new['variant_id']} already; choose another")
        more = ledger.cost(changed) - ledger.cost(old)
        found = ledger.pay(desk, {**found, "lines": ledger.with_line(found, old, changed)}, found["paid_with"], more)
        desk.set("orders", found["order_id"], found)
        return {"order_id": found["order_id"], "line": changed, "difference": money.text(more), "total": found["total"]}

    @serves("write")
    def change_address(self, desk: Desk, *, order_id: str, street: str, town: str, postcode: str) -> Any:
        """Change where an order is sent that is still processing.

        Args:
            order_id: such as ORD-48213.
            street: house number and street.
            town: the town alone.
            postcode: such as BA1 4XX.
        """
        found = ledger.processing(desk, order_id, "its address can be changed")
        address = ledger.new_address(street, town, postcode)
        desk.change("orders", found["order_id"], address=address)
        return {"order_id": found["order_id"], "address": address}

    @serves("write")
    def change_payment(self, desk: Desk, *, order_id: str, payment_method_id: str) -> Any:
        """Pay an order that is still processing with another payment method of the same customer.

        The new method is charged the whole order, the old one refunded. A gift card must hold enough.

        Args:
            order_id: such as ORD-48213.
            payment_method_id: the method to pay with from now on, such as PM-2903.
        """
        found = ledger.processing(desk, order_id, "its payment can be changed")
        new = ledger.method(desk, found["customer"], payment_method_id)["method_id"]
        if new == found["paid_with"]:
            raise Refused(f"payment_method_id: order {found['order_id']} is paid with {new} already")
        total = money.cents(found["total"])
        for method_id, paid in ledger.charged(found).items():
            found = ledger.pay(desk, found, method_id, -paid)
        found = {**ledger.pay(desk, found, new, total), "paid_with": new}
        desk.set("orders", found["order_id"], found)
        return {"order_id": found["order_id"], "paid_with": new, "total": found["total"]}

    @serves("write")
    def change_delivery(self, desk: Desk, *, order_id: str, speed: Speed) -> Any:
        """Change the delivery speed of an order that is still processing; the difference in fee is settled.

        Standard costs 3.95 and express 8.95; the method that the order is paid with is charged or refunded.

        Args:
            order_id: such as ORD-48213.
            speed: the speed wanted.
        """
        found = ledger.processing(desk, order_id, "its delivery can be changed")
        if found["delivery"]["speed"] == speed:
            raise Refused(f"speed: order {found['order_id']} goes by {speed} delivery already")
        more = rows.FEES[speed] - money.cents(found["delivery"]["fee"])
        found = {**found, "delivery": {"speed": speed, "fee": money.text(rows.FEES[speed])}}
        found = ledger.pay(desk, found, found["paid_with"], more)
        desk.set("orders", found["order_id"], found)
        return {"order_id": found["order_id"], "delivery": found["delivery"], "total": found["total"]}

    @serves("write")
    def return_items(self, desk: Desk, *, order_id: str, variant_ids: list[str], refund_to: str) -> Any:
        """Take lines of a delivered order back within 30 days of delivery, and refund what they cost.

        Args:
            order_id: such as ORD-48213.
            variant_ids: the variants of the lines that go back, each line as a whole.
            refund_to: the method that the order is paid with, or a gift card of the customer.
        """
        found = ledger.delivered(desk, order_id, "items can be returned")
        wanted = sorted({ledger.code(name) for name in variant_ids})
        if not wanted:
            raise Refused("variant_ids: name at least one line of the order")
        target = ledger.method(desk, found["customer"], refund_to)
        if target["method_id"] != found["paid_with"] and "balance" not in target:
            raise Refused(
                f"refund_to: {target['method_id']} did not pay for order {found['order_id']}; "
                f"refunds go to {found['paid_with']} or to a gift card"
            )
        back, lines = 0, found["lines"]
        for name in wanted:
            item = ledger.line(found, name)
            if desk.find("products", item["product_id"], "product")["final_sale"]:
                raise Refused(f"{name}, a {item['name']}, is a final sale and cannot be returned")
            back += ledger.cost(item)
            lines = [{**item, "status": "return requested"} if one is item else one for one in lines]
        found = ledger.pay(desk, {**found, "lines": lines}, target["method_id"], -back)
        desk.set("orders", found["order_id"], found)
        return {
            "order_id": found["order_id"],
            "returned": wanted,
            "refund": money.text(back),
            "to": target["method_id"],
        }

    @serves("write")
    def exchange_item(
        self, desk: Desk, *, order_id: str, variant_id: str, new_variant_id: str, payment_method_id: str
    ) -> Any:
        """Exchange a line of a delivered order for another variant of the same product, within 30 days of delivery.

        Args:
            order_id: such as ORD-48213.
            variant_id: the variant that the customer has.
            new_variant_id: the variant wanted instead; it must be in stock.
            payment_method_id: a method of the customer that a difference in price is charged or refunded to.
        """
        found = ledger.delivered(desk, order_id, "items can be exchanged")
        old = ledger.line(found, variant_id)
        if desk.find("products", old["product_id"], "product")["final_sale"]:
            raise Refused(f"{old['variant_id']}, a {old['name']}, is a final sale and cannot be exchanged")
        new = ledger.sibling(desk, old, new_variant_id)
        ledger.shelve(desk, new["variant_id"], -old["quantity"])
        method = ledger.method(desk, found["customer"], payment_method_id)["method_id"]
        replacement = {"variant_id": new["variant_id"], "options": new["options"], "unit_price": new["price"]}
        changed = {**old, "status": "exchange requested", "replacement": replacement}
        more = old["quantity"] * (money.cents(new["price"]) - money.cents(old["unit_price"]))
        found = ledger.pay(desk, {**found, "lines": ledger.with_line(found, old, changed)}, method, more)
        desk.set("orders", found["order_id"], found)
        return {"order_id": found["order_id"], "line": changed, "difference": money.text(more), "method": method}

    @serves("write")
    def set_default_address(self, desk: Desk, *, customer_id: str, street: str, town: str, postcode: str) -> Any:
        """Change the address that a customer's later orders are sent to; orders already placed keep theirs.

        Args:
            customer_id: such as C-1042.
            street: house number and street.
            town: the town alone.
            postcode: such as BA1 4XX.
        """
        customer = desk.find("customers", ledger.code(customer_id), "customer")
        address = ledger.new_address(street, town, postcode)
        desk.change("customers", customer["customer_id"], address=address)
        return {"customer_id": customer["customer_id"], "address": address}

    @serves("write")
    def open_case(self, desk: Desk, *, order_id: str, trouble: Trouble) -> Any:
        """Open a case about a parcel for the warehouse team, who write to the customer within two working days.

        Args:
            order_id: such as ORD-48213.
            trouble: "not arrived" is for parcels that are overdue, the others for delivered orders.
        """
        found = ledger.order(desk, order_id)
        key = f"{found['order_id']}/{trouble}"
        if key in desk.database["cases"]:
            raise Refused(f"order {found['order_id']} has an open case {trouble!r} already")
        if trouble != "not arrived":
            ledger.delivered(desk, order_id, f"a case {trouble!r} can be opened")
        else:
            if found["status"] != "shipped":
                raise Refused(f"order {found['order_id']} is {found['status']}; 'not arrived' is for shipped orders")
            due = desk.find("shipments", found["shipment_id"], "shipment")["expected_on"]
            if date.fromisoformat(due) >= date.fromisoformat(desk.clock[:10]):
                raise Refused(
                    f"order {found['order_id']} is expected on {due}; a case can be opened from the day after"
                )
        record = {
            "case_id": key,
            "order_id": found["order_id"],
            "customer": found["customer"],
            "trouble": trouble,
            "status": "open",
        }
        desk.set("cases", key, record)
        return record

    @serves("write")
    def transfer_to_human(self, desk: Desk, *, customer_id: str, reason: Handover) -> Any:
        """Put a customer into the queue of the shop's staff; only for the reasons that the policy names.

        Args:
            customer_id: such as C-1042.
            reason: what the staff has to see to.
        """
        customer = desk.find("customers", ledger.code(customer_id), "customer")["customer_id"]
        key = f"{customer}/{reason}"
        if key in desk.database["handovers"]:
            raise Refused(f"customer {customer} waits for the staff already, for the reason {reason!r}")
        record = {"handover_id": key, "customer": customer, "reason": reason}
        desk.set("handovers", key, record)
        return record
