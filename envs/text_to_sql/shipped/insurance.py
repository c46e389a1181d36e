"""insurance: an insurer's agents, customers, policies, claims, payouts, invoices and complaints.

12 tables, some 2,500 rows. Worth minding: policies that run on have no end, policies sold online no agent, customers
may share a name and were referred by each other, a claim belongs to a policy and one of its coverages (a key of two
columns), some claims were paid in parts, invoices may be unpaid.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.insurance_rows import SCHEMA, fill

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "insurance"
_CITIES = ("Ashby", "Calder", "Fenwick", "Moorgate", "Selby Cross", "Tarrant")
_LINES = ("motor", "home", "travel")
_YEARS = ("2021", "2022", "2023")
_RUNS = "A policy runs from start_date until the day before end_date; end_date is NULL while no end is set."
_ONLINE = "policy.agent_id is NULL for policies sold online."
_UNPAID = "invoice.paid_on is NULL while an invoice is unpaid."
_OPEN = "complaint.closed is NULL while a complaint is open."

FAMILIES: Final = (
    Family(
        "without_a_sale", "medium",
        (
            "Which agents of the company today have sold no {line} policy that starts in {year}? Name of the agent and "
            "of the agency.",
            "Name, with their agency, the agents who are still with us and have not a single {line} policy with a "
            "start in {year} to their credit.",
        ),
        """SELECT a.name, g.name AS agency
        FROM agent a JOIN agency g ON g.agency_id = a.agency_id
        WHERE a.left_on IS NULL AND a.agent_id NOT IN (
            SELECT p.agent_id FROM policy p JOIN product d ON d.product_id = p.product_id
            WHERE d.line = {line} AND strftime('%Y', p.start_date) = {year} AND p.agent_id IS NOT NULL
        )""",
        {"line": _LINES, "year": ("2021", "2022")},
        f"agent.left_on is NULL for agents still with the company. {_ONLINE}", 4,
    ),
    Family(
        "late_payers", "medium",
        (
            "Which customers have paid at least {times} invoices more than {days} days after they were due? Customer "
            "id, name, number of such invoices.",
            "Find the slow payers: customer id, name and count for everyone with {times} or more invoices settled over "
            "{days} days late. Invoices that are still unpaid do not count.",
        ),
        """SELECT c.customer_id, c.name, COUNT(*) AS late
        FROM customer c JOIN policy p ON p.customer_id = c.customer_id JOIN invoice i ON i.policy_id = p.policy_id
        WHERE julianday(i.paid_on) - julianday(i.due_on) > {days}
        GROUP BY c.customer_id, c.name HAVING COUNT(*) >= {times}""",
        {"times": (3, 4, 5), "days": (10, 15, 25, 30)}, _UNPAID, 4,
    ),
    Family(
        "loss_ratio", "hard",
        (
            "For each {line} product: what was paid out on claims in {year}, as a percentage of the invoice amounts "
            "that customers paid in {year}? Product, paid in, paid out, per cent with one decimal; no payout counts as "
            "0.",
            "I need the loss ratio of the {line} products for {year}, going by the days of payment: product name, "
            "total of invoices paid, total of payouts (0 if there are none), and payouts as per cent of paid invoices "
            "to one decimal.",
        ),
        """WITH income AS (
            SELECT p.product_id, SUM(i.amount) AS paid_in FROM invoice i JOIN policy p ON p.policy_id = i.policy_id
            WHERE strftime('%Y', i.paid_on) = {year} GROUP BY p.product_id
        ), losses AS (
            SELECT p.product_id, SUM(o.amount) AS paid_out FROM payout o JOIN claim c ON c.claim_id = o.claim_id
            JOIN policy p ON p.policy_id = c.policy_id WHERE strftime('%Y', o.paid_on) = {year} GROUP BY p.product_id
        )
        SELECT d.name, n.paid_in, COALESCE(l.paid_out, 0) AS paid_out,
            ROUND(100.0 * COALESCE(l.paid_out, 0) / n.paid_in, 1) AS ratio
        FROM product d JOIN income n ON n.product_id = d.product_id LEFT JOIN losses l ON l.product_id = d.product_id
        WHERE d.line = {line}""",
        {"line": _LINES, "year": _YEARS}, _UNPAID + " A product without any paid invoice in the year is left out.", 4,
    ),
    Family(
        "days_to_first_claim", "medium",
        (
            "How long does a {line} policy last until its first claim occurs? Per product, over the policies that had "
            "one: number of policies, mean and longest number of days from the start, the mean to one decimal.",
            "By {line} product, count the policies with a claim and tell me after how many days from the policy's "
            "start the first claim occurred: on average (one decimal) and at the most.",
        ),
        """SELECT product, COUNT(*) AS policies, ROUND(AVG(days), 1) AS mean_days, MAX(days) AS most_days
        FROM (
            SELECT d.name AS product, julianday(MIN(c.occurred)) - julianday(p.start_date) AS days
            FROM policy p JOIN product d ON d.product_id = p.product_id JOIN claim c ON c.policy_id = p.policy_id
            WHERE d.line = {line} GROUP BY p.policy_id, d.name, p.start_date
        ) AS firsts
        GROUP BY product""",
        {"line": _LINES},
    ),
    Family(
        "referred_from_afar", "easy",
        (
            "Which customers in {city} were referred by somebody from another city? Customer id, name, and the city of "
            "the person who referred them.",
            "List id and name of {city} customers whose referrer lives elsewhere, together with the referrer's city.",
        ),
        """SELECT c.customer_id, c.name, r.city AS referrer_city
        FROM customer c JOIN customer r ON r.customer_id = c.referred_by WHERE c.city = {city} AND r.city <> c.city""",
        {"city": _CITIES}, "customer.referred_by is the id of the customer who referred them, NULL if nobody did.", 4,
    ),
    Family(
        "chain_of_referrals", "hard",
        (
            "Starting from customer {start}: how many customers came through them, directly or through others they had "
            "referred, and over how many steps does the longest such chain go? Two numbers, 0 and NULL if there is "
            "none.",
            "Follow the referrals that begin with customer number {start} down to the end. Return the number of "
            "customers reached (without customer {start}) and the depth of the deepest one, a direct referral having "
            "depth 1.",
        ),
        """WITH RECURSIVE reached(customer_id, depth) AS (
            SELECT customer_id, 1 FROM customer WHERE referred_by = {start}
            UNION ALL
            SELECT c.customer_id, r.depth + 1 FROM customer c JOIN reached r ON c.referred_by = r.customer_id
        )
        SELECT COUNT(*) AS customers, MAX(depth) AS steps FROM reached""",
        {"start": (1, 2, 3, 4, 5, 6)},
        "customer.referred_by is the id of the customer who referred them; a direct referral is 1 step.",
    ),
    Family(
        "insured_together", "hard",
        (
            "Which two coverages are insured together in at least {times} {line} policies? Each pair once, the name "
            "that comes first in the alphabet in front, with the number of policies.",
            "For {line} policies, count how often two coverages stand in the same policy and show the pairs with "
            "{times} or more: alphabetically first name, second name, number.",
        ),
        """SELECT a.name AS coverage, b.name AS other_coverage, COUNT(*) AS policies
        FROM policy_coverage x JOIN policy_coverage y ON y.policy_id = x.policy_id
        JOIN coverage a ON a.coverage_id = x.coverage_id JOIN coverage b ON b.coverage_id = y.coverage_id
        WHERE a.name < b.name AND a.line = {line}
        GROUP BY a.name, b.name HAVING COUNT(*) >= {times}""",
        {"line times": (
            ("motor", 10), ("motor", 11), ("motor", 14), ("motor", 16), ("motor", 17), ("home", 17), ("home", 19),
        )},
        count=4,
    ),
    Family(
        "dearest_claims", "medium",
        (
            "What is the highest claim of each coverage of the {line} line, as claimed? List every claim that has it: "
            "coverage, claim id, date it occurred, amount.",
            "For every coverage in {line}, show the claim or claims with the largest amount claimed: coverage name, "
            "claim id, day of occurrence and amount.",
        ),
        """SELECT coverage, claim_id, occurred, amount
        FROM (
            SELECT v.name AS coverage, c.claim_id, c.occurred, c.amount,
                RANK() OVER (PARTITION BY c.coverage_id ORDER BY c.amount DESC) AS place
            FROM claim c JOIN coverage v USING (coverage_id)
            WHERE v.line = {line}
        ) AS ranked
        WHERE place = 1""",
        {"line": _LINES},
    ),
    Family(
        "month_on_month", "hard",
        (
            "How did the payouts of {year} move from month to month? In order of month: the month as 'YYYY-MM', the "
            "total, and the difference to the month with payouts before it in that year (empty for the first).",
            "Payouts in {year}, month by month from the earliest ('YYYY-MM'): total paid and change against the "
            "previous month of that year that had payouts; the first has NULL there.",
        ),
        """SELECT strftime('%Y-%m', paid_on) AS month, SUM(amount) AS total,
            SUM(amount) - LAG(SUM(amount)) OVER (ORDER BY strftime('%Y-%m', paid_on)) AS change
        FROM payout WHERE strftime('%Y', paid_on) = {year}
        GROUP BY strftime('%Y-%m', paid_on) ORDER BY month""",
        {"year": _YEARS},
    ),
    Family(
        "behind_the_best", "medium",
        (
            "In the agency {agency}, how far is each agent who has sold policies behind its best seller, by the sum of "
            "yearly premiums? Agent, own sum, distance to the best (0 for the best).",
            "Add up the premiums of the policies that each agent of {agency} sold, and show name, sum and how much is "
            "missing to the highest sum within that agency. Agents without a sale are left out.",
        ),
        """SELECT a.name, SUM(p.premium) AS sold, MAX(SUM(p.premium)) OVER () - SUM(p.premium) AS behind
        FROM agency g JOIN agent a ON a.agency_id = g.agency_id JOIN policy p ON p.agent_id = a.agent_id
        WHERE g.name = {agency}
        GROUP BY a.agent_id, a.name""",
        {"agency": ("Northern Shield", "Harbour Cover", "Oak and Partners", "Meridian", "Lighthouse")},
        "policy.premium is the premium a year; ended policies count too.", 4,
    ),
    Family(
        "lines_held", "medium",
        (
            "Which customers have held both a {one} and a {two} policy but never a {three} one? Just the ids.",
            "Give the ids of customers with at least one {one} policy and at least one {two} policy, ended ones "
            "included, yet no {three} policy at any time.",
        ),
        """SELECT p.customer_id FROM policy p JOIN product d ON d.product_id = p.product_id WHERE d.line = {one}
        INTERSECT
        SELECT p.customer_id FROM policy p JOIN product d ON d.product_id = p.product_id WHERE d.line = {two}
        EXCEPT
        SELECT p.customer_id FROM policy p JOIN product d ON d.product_id = p.product_id WHERE d.line = {three}""",
        {"one two three": (("motor", "home", "travel"), ("motor", "travel", "home"), ("home", "travel", "motor"))},
    ),
    Family(
        "file_of_a_customer", "hard",
        (
            "Put the file of customer {customer} in order of time: every start of a policy, every claim (on the day it "
            "was reported) and every complaint (on the day it was filed). Columns: date, 'policy', 'claim' or "
            "'complaint', and the id of that policy, claim or complaint; sort by date, then kind, then id.",
            "I want one timeline for customer {customer}, sorted by date, then kind, then id: date, kind ('policy' at "
            "its start, 'claim' when reported, 'complaint' when filed) and the id of the item.",
        ),
        """SELECT start_date AS date, 'policy' AS kind, policy_id AS id FROM policy WHERE customer_id = {customer}
        UNION ALL
        SELECT c.reported, 'claim', c.claim_id FROM claim c JOIN policy p ON p.policy_id = c.policy_id
        WHERE p.customer_id = {customer}
        UNION ALL
        SELECT filed, 'complaint', complaint_id FROM complaint WHERE customer_id = {customer}
        ORDER BY date, kind, id""",
        {"customer": tuple(range(2, 90, 3))}, count=4,
    ),
    Family(
        "waiting_claims", "easy",
        (
            "Which open claims reported before {day} have no adjuster yet, and for how many days had they been waiting "
            "on {day}, counted from the report? Claim id and days, longest wait first, then by id.",
            "Show the open claims that still lack an adjuster and were reported earlier than {day}: claim id and days "
            "from the report to {day}, ordered from the longest to the shortest wait and by claim id within a day.",
        ),
        """SELECT claim_id, CAST(julianday({day}) - julianday(reported) AS INTEGER) AS days
        FROM claim WHERE status = 'open' AND adjuster_id IS NULL AND reported < {day}
        ORDER BY days DESC, claim_id""",
        {"day": ("2023-07-01", "2023-09-01", "2023-10-01", "2023-11-01", "2023-12-01")},
        "claim.adjuster_id is NULL while no adjuster has been named; claim.status is 'open', 'paid' or 'rejected'.", 4,
    ),
    Family(
        "speed_of_adjusters", "hard",
        (
            "For adjusters with at least {least} paid claims reported in {year}: how many were these, and how many "
            "days passed on average from the report to the last payout of a claim? Name, claims, days with one "
            "decimal.",
            "Take the claims with status 'paid' that were reported in {year}. Per adjuster handling {least} or more of "
            "them: name, number of claims, mean days between report and final payout, rounded to one decimal.",
        ),
        """SELECT j.name, COUNT(*) AS claims, ROUND(AVG(julianday(f.last_paid) - julianday(c.reported)), 1) AS days
        FROM claim c JOIN adjuster j ON j.adjuster_id = c.adjuster_id
        JOIN (SELECT claim_id, MAX(paid_on) AS last_paid FROM payout GROUP BY claim_id) AS f ON f.claim_id = c.claim_id
        WHERE c.status = 'paid' AND strftime('%Y', c.reported) = {year}
        GROUP BY j.adjuster_id, j.name HAVING COUNT(*) >= {least}""",
        {"year": _YEARS, "least": (3, 4, 5)}, "A claim with status 'paid' may have been paid in several payouts.", 4,
    ),
    Family(
        "paid_short", "hard",
        (
            "On which paid {line} claims do the payouts stay more than {gap} below the amount claimed less the "
            "deductible? Claim id, amount claimed, deductible (0 if there is none), total paid out.",
            "Check the {line} claims with status 'paid' for underpayment: payouts together over {gap} short of claimed "
            "amount minus deductible. Show claim id, claimed amount, deductible with 0 for none, sum of payouts.",
        ),
        """SELECT c.claim_id, c.amount, COALESCE(k.deductible, 0) AS deductible, SUM(o.amount) AS paid
        FROM claim c JOIN policy_coverage k ON k.policy_id = c.policy_id AND k.coverage_id = c.coverage_id
        JOIN coverage v ON v.coverage_id = c.coverage_id JOIN payout o ON o.claim_id = c.claim_id
        WHERE c.status = 'paid' AND v.line = {line}
        GROUP BY c.claim_id, c.amount, k.deductible
        HAVING SUM(o.amount) < c.amount - COALESCE(k.deductible, 0) - {gap}""",
        {"line": _LINES, "gap": (20, 40, 50, 60)},
        "policy_coverage.deductible of the policy and coverage of the claim is NULL where there is none.", 4,
    ),
    Family(
        "hard_to_reach", "medium",
        (
            "Which policies that were running on {day} belong to customers without an e-mail address on file? Policy "
            "id, customer id and start date.",
            "List policy id, customer id and start of the policies in force on {day} about which we could not have "
            "sent an e-mail, as the customer has given no address.",
        ),
        """SELECT p.policy_id, p.customer_id, p.start_date FROM policy p
        WHERE p.start_date <= {day} AND (p.end_date IS NULL OR p.end_date > {day})
            AND EXISTS (SELECT * FROM customer c WHERE c.customer_id = p.customer_id AND c.email IS NULL)""",
        {"day": ("2022-01-01", "2022-07-01", "2022-10-01", "2023-01-01")},
        f"customer.email is NULL where no address is known. {_RUNS}",
    ),
    Family(
        "in_force", "medium",
        (
            "How many {line} policies were in force on {day} in each city where at least {least} customers held one? "
            "City of the customer, number of customers, number of policies, sum of the yearly premiums.",
            "Policies of the {line} line running on {day}, by home city of the customer: city, distinct customers, "
            "policies, total premium; only cities with {least} or more such customers.",
        ),
        """SELECT c.city, COUNT(DISTINCT c.customer_id) AS customers, COUNT(*) AS policies, SUM(p.premium) AS premiums
        FROM policy p JOIN customer c ON c.customer_id = p.customer_id JOIN product d ON d.product_id = p.product_id
        WHERE d.line = {line} AND p.start_date <= {day} AND COALESCE(p.end_date, '9999-12-31') > {day}
        GROUP BY c.city HAVING COUNT(DISTINCT c.customer_id) >= {least}""",
        {"line": ("motor", "home"), "day": ("2022-01-01", "2022-07-01", "2023-01-01"), "least": (5, 7, 9)},
        f"{_RUNS} Read a NULL there as 9999-12-31.", 4,
    ),
    Family(
        "age_at_start", "hard",
        (
            "How old are people when they take out {line} insurance? Group the {line} policies by age of the customer "
            "on the start date into 'under 30', '30 to 49' and '50 or older': group, policies, mean premium to 2 "
            "decimals.",
            "Split the {line} policies by the customer's age in completed years at the start: 'under 30', '30 to 49', "
            "'50 or older'. Show the group, how many policies it has, and its average premium rounded to 2 decimals.",
        ),
        """SELECT CASE WHEN age < 30 THEN 'under 30' WHEN age < 50 THEN '30 to 49' ELSE '50 or older' END AS age_group,
            COUNT(*) AS policies, ROUND(AVG(premium), 2) AS mean_premium
        FROM (
            SELECT p.premium, strftime('%Y', p.start_date) - strftime('%Y', c.born)
                - (strftime('%m-%d', p.start_date) < strftime('%m-%d', c.born)) AS age
            FROM policy p JOIN customer c USING (customer_id) JOIN product d USING (product_id)
            WHERE d.line = {line}
        ) AS aged
        GROUP BY age_group""",
        {"line": _LINES},
        "Age counts completed years: it goes up on the birthday. '%m-%d' gives month and day of a date.",
    ),
    Family(
        "complaints_by_quarter", "easy",
        (
            "How many complaints about {topic} were filed in each quarter of {year}, and how many of them are closed? "
            "Number of the quarter (1 to 4), filed, closed, in order of quarter.",
            "By quarter of {year}, 1 to 4 in ascending order: complaints filed under the topic {topic} and how many of "
            "these have been closed. Quarters without any can be left out.",
        ),
        """SELECT (strftime('%m', filed) + 2) / 3 AS quarter, COUNT(*) AS filed, COUNT(closed) AS closed
        FROM complaint
        WHERE topic = {topic} AND filed BETWEEN '{year:raw}-01-01' AND '{year:raw}-12-31'
        GROUP BY quarter ORDER BY quarter""",
        {"topic": ("claim handling", "price", "cancellation"), "year": ("2022", "2023")},
        "The year is {year}-01-01 to {year}-12-31; (month + 2) / 3 gives the quarter of a month. " + _OPEN, 4,
    ),
    Family(
        "dearer_next_time", "medium",
        (
            "Which customers took out a policy with a premium at least {more} higher than that of the policy they had "
            "taken out just before? Customer id, start of the new policy, the former premium and the new one. Policies "
            "of one start date follow each other by id.",
            "Order each customer's policies by start date and id, and list those whose premium lies {more} or more "
            "above the policy directly before: customer id, start date, premium before, premium.",
        ),
        """WITH paired AS (
            SELECT customer_id, start_date, premium,
                LAG(premium) OVER (PARTITION BY customer_id ORDER BY start_date, policy_id) AS former
            FROM policy
        )
        SELECT customer_id, start_date, former, premium FROM paired WHERE premium >= former + {more}""",
        {"more": (100, 200, 300, 400, 500)},
    ),
    Family(
        "covered_not_claimed", "medium",
        (
            "Which coverages of the {line} line have been insured with a sum of {sum} or more without a single claim "
            "reported in {year} under such a policy and coverage? Coverage and number of policies.",
            "For {line}: per coverage, how many policies insure it with at least {sum} and had no claim on that "
            "coverage reported in {year}? Coverage name and number.",
        ),
        """SELECT v.name, COUNT(*) AS policies
        FROM coverage v JOIN policy_coverage k ON k.coverage_id = v.coverage_id
        LEFT JOIN claim c ON c.policy_id = k.policy_id AND c.coverage_id = k.coverage_id
            AND strftime('%Y', c.reported) = {year}
        WHERE v.line = {line} AND k.insured_sum >= {sum} AND c.claim_id IS NULL
        GROUP BY v.coverage_id, v.name""",
        {"line": _LINES, "sum": (5000, 10000, 20000), "year": ("2022", "2023")}, count=4,
    ),
    Family(
        "whole_range", "hard",
        (
            "Which agents have sold policies of all the lines we offer, and how many is that for each? Only agents "
            "hired in {year} or later. Name, policies.",
            "Find the all-rounders hired since the beginning of {year}: agents with at least one policy sold in every "
            "line of products. Return name and number of policies sold.",
        ),
        """SELECT name, SUM(policies) AS policies
        FROM (
            SELECT a.agent_id, a.name, d.line, COUNT(*) AS policies
            FROM agent a JOIN policy p ON p.agent_id = a.agent_id JOIN product d ON d.product_id = p.product_id
            WHERE a.hired >= '{year:raw}-01-01' GROUP BY a.agent_id, a.name, d.line
        ) AS by_line
        GROUP BY agent_id, name
        HAVING COUNT(*) = (SELECT COUNT(*) FROM (SELECT line FROM product GROUP BY line) AS lines)""",
        {"year": (2014, 2015, 2016, 2017)}, "Hired in {year} or later means on or after {year}-01-01.",
    ),
    Family(
        "open_share", "easy",
        (
            "What per cent of the complaints filed since {day} (that day included) are still open, by topic? Topic, "
            "number of complaints, percentage open to one decimal.",
            "Complaints filed on {day} or later: per topic, how many there are and what percentage has not been "
            "closed, rounded to one decimal.",
        ),
        """SELECT topic, COUNT(*) AS complaints, ROUND(100.0 * SUM(closed IS NULL) / COUNT(*), 1) AS share
        FROM complaint WHERE filed >= {day} GROUP BY topic""",
        {"day": ("2022-01-01", "2022-06-01", "2022-10-01", "2023-01-01", "2023-04-01")}, _OPEN,
    ),
)  # fmt: skip
