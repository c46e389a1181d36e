"""The tables of insurance, and how they are filled."""

from __future__ import annotations

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, later, maybe, several, skewed
from agentgym.rng import TurnRng

SCHEMA = """
CREATE TABLE agency (
    agency_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    city TEXT NOT NULL
);
CREATE TABLE agent (
    agent_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    agency_id INTEGER NOT NULL REFERENCES agency (agency_id),
    hired TEXT NOT NULL,
    left_on TEXT
);
CREATE TABLE customer (
    customer_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    born TEXT NOT NULL,
    city TEXT NOT NULL,
    email TEXT,
    referred_by INTEGER REFERENCES customer (customer_id)
);
CREATE TABLE product (
    product_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    line TEXT NOT NULL
);
CREATE TABLE coverage (
    coverage_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    line TEXT NOT NULL
);
CREATE TABLE policy (
    policy_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
    product_id INTEGER NOT NULL REFERENCES product (product_id),
    agent_id INTEGER REFERENCES agent (agent_id),
    start_date TEXT NOT NULL,
    end_date TEXT,
    premium INTEGER NOT NULL
);
CREATE TABLE policy_coverage (
    policy_id INTEGER NOT NULL REFERENCES policy (policy_id),
    coverage_id INTEGER NOT NULL REFERENCES coverage (coverage_id),
    insured_sum INTEGER NOT NULL,
    deductible INTEGER,
    PRIMARY KEY (policy_id, coverage_id)
);
CREATE TABLE adjuster (
    adjuster_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    since TEXT NOT NULL
);
CREATE TABLE claim (
    claim_id INTEGER PRIMARY KEY,
    policy_id INTEGER NOT NULL,
    coverage_id INTEGER NOT NULL,
    occurred TEXT NOT NULL,
    reported TEXT NOT NULL,
    amount INTEGER NOT NULL,
    status TEXT NOT NULL,
    adjuster_id INTEGER REFERENCES adjuster (adjuster_id),
    FOREIGN KEY (policy_id, coverage_id) REFERENCES policy_coverage (policy_id, coverage_id)
);
CREATE TABLE payout (
    payout_id INTEGER PRIMARY KEY,
    claim_id INTEGER NOT NULL REFERENCES claim (claim_id),
    paid_on TEXT NOT NULL,
    amount INTEGER NOT NULL
);
CREATE TABLE invoice (
    invoice_id INTEGER PRIMARY KEY,
    policy_id INTEGER NOT NULL REFERENCES policy (policy_id),
    due_on TEXT NOT NULL,
    amount INTEGER NOT NULL,
    paid_on TEXT
);
CREATE TABLE complaint (
    complaint_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
    policy_id INTEGER REFERENCES policy (policy_id),
    filed TEXT NOT NULL,
    topic TEXT NOT NULL,
    closed TEXT
);
"""

_CITIES = ("Ashby", "Calder", "Fenwick", "Moorgate", "Selby Cross", "Tarrant")
_AGENCIES = ("Northern Shield", "Harbour Cover", "Oak and Partners", "Meridian", "Lighthouse")
_PRODUCTS = {
    "motor": (("Motor Basic", "Motor Plus", "Fleet"), 400),
    "home": (("Home Basic", "Home Plus", "Landlord"), 250),
    "travel": (("Travel Single", "Travel Year", "Student Abroad"), 80),
}
_SHARES = (24, 18, 4, 24, 18, 3, 16, 12, 2)  # of the products, in their order
_COVERAGES = {
    "motor": ("third party", "collision", "theft", "glass", "breakdown"),
    "home": ("fire", "water damage", "burglary", "storm damage"),
    "travel": ("cancellation", "medical", "luggage"),
}
_TOPICS = ("claim handling", "price", "cancellation", "advice", "website")
_END = "2023-12-31"


def _month(number: int) -> str:
    """Return the first day of a month, counted from July 2020."""
    return f"{2020 + (number + 6) // 12}-{(number + 6) % 12 + 1:02d}-01"


def _people(rng: TurnRng) -> tuple[Rows, Rows, Rows]:
    """24 agents (five have left), 150 customers of whom some share a name, ten adjusters."""
    staff = rng.shuffled([f"{first} {last}" for first in FIRST_NAMES[::4] for last in LAST_NAMES[::8]])
    agents: Rows = []
    for number in range(1, 25):
        hired = day(rng, "2012-01-01", "2020-06-30")
        left = day(rng, "2021-06-01", "2023-10-31") if number % 5 == 0 else None
        agents.append((number, staff[number], skewed(rng, range(1, 6), 1.5), hired, left))
    customers: Rows = []
    for number in range(1, 151):
        name = f"{rng.choice(FIRST_NAMES[1::5])} {rng.choice(LAST_NAMES[1::5])}"
        email = maybe(rng, f"{name.split()[0].lower()}{number}@mail.example", 0.25)
        referrer = None if number < 6 or rng.random() < 0.5 else skewed(rng, range(1, number), 1.6)
        born = day(rng, "1945-01-01", "2001-12-31")
        customers.append((number, name, born, skewed(rng, _CITIES, 1.4), email, referrer))
    adjusters: Rows = [(number, staff[40 + number], day(rng, "2010-01-01", "2020-12-31")) for number in range(1, 11)]
    return agents, customers, adjusters


def _policies(rng: TurnRng, products: Rows, agents: Rows) -> Rows:
    """250 policies, each from the first of a month on, often of a half-year; some ended, a quarter was sold online."""
    holders = rng.shuffled(range(1, 151))[12:]
    sellers = rng.shuffled(agents)[2:]
    rows: Rows = []
    for number in range(1, 251):
        product = rng.choice(products, _SHARES)
        start = rng.choice((6 * rng.integers(6), rng.integers(31)))
        end = start + 12 * rng.integers(1, 4)
        usual = _PRODUCTS[str(product[2])][1]
        premium = round(usual * rng.choice((0.8, 1.0, 1.0, 1.25, 1.5, 2.0)) / 20) * 20 + rng.choice((0, 0, 20, 40))
        ended = _month(end) if rng.random() < 0.45 and end < 42 else None
        there = [agent[0] for agent in sellers if agent[4] is None or str(agent[4]) > _month(start)]
        agent = maybe(rng, skewed(rng, there, 1.3), 0.25)
        rows.append((number, skewed(rng, holders, 1.3), product[0], agent, _month(start), ended, premium))
    return rows


def _claims(rng: TurnRng, policies: Rows, covered: dict[Value, Rows]) -> tuple[Rows, Rows]:
    """210 claims inside the time of their policy, and what was paid for them: less the deductible, often less still."""
    claims: Rows = []
    payouts: Rows = []
    while len(claims) < 210:
        policy = rng.choice(policies)
        part = rng.choice(covered[policy[0]])
        occurred = day(rng, str(policy[4]), _END if policy[5] is None else later(str(policy[5]), -1))
        reported = later(occurred, rng.choice((0, 1, 2, 3, 5, 8, 14, 20, 30, 45)))
        if reported > _END:
            continue
        amount = rng.choice((200, 250, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000, 3000))
        recent = reported >= "2023-07-01"
        status = rng.choice(("paid", "rejected", "open"), (1, 1, 4) if recent else (6, 2, 1))
        adjuster = maybe(rng, skewed(rng, range(1, 11), 1.4), {"open": 0.45, "rejected": 0.3, "paid": 0.0}[status])
        number = len(claims) + 1
        claims.append((number, policy[0], part[1], occurred, reported, amount, status, adjuster))
        due = max(amount - int(str(part[3] or 0)), 50)
        parts = {"paid": rng.choice((1, 1, 2, 3)), "open": rng.choice((0, 0, 1)), "rejected": 0}[status]
        for turn in range(parts):
            share = due // (2 if status == "open" else parts) // 10 * 10 - rng.choice((0, 0, 20, 40))
            paid_on = later(reported, 10 + 25 * turn + rng.integers(25))
            payouts.append((len(payouts) + 1, number, paid_on, max(share, 10)))
    return claims, payouts


def _invoices(rng: TurnRng, policies: Rows) -> Rows:
    """Half of the premium every six months while a policy runs; most are paid, some late, some not at all."""
    rows: Rows = []
    for policy in policies:
        careful = rng.choice((0, 1, 2))
        for number in range(42):
            due = _month(number)
            on = due >= str(policy[4]) and (policy[5] is None or due < str(policy[5]))
            if on and (int(due[5:7]) - int(str(policy[4])[5:7])) % 6 == 0:
                late = rng.choice((-10, -5, 0, 0, 10, 30)) + 15 * careful * rng.integers(2)
                paid = None if rng.random() < (0.3 if due > "2023-06-01" else 0.04) else later(due, late)
                rows.append((len(rows) + 1, policy[0], due, int(str(policy[6])) // 2, paid))
    return rows


def _complaints(rng: TurnRng, policies: Rows) -> Rows:
    """75 complaints, most about a policy of the customer's own, one in three not closed."""
    rows: Rows = []
    for number in range(1, 76):
        policy = rng.choice(policies)
        filed = day(rng, max("2022-01-01", str(policy[4])), "2023-12-15")
        about = maybe(rng, policy[0], 0.3)
        closed = maybe(rng, later(filed, rng.integers(1, 60)), 0.35)
        rows.append((number, policy[1], about, filed, skewed(rng, _TOPICS, 1.3), closed))
    return rows


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return the rows of every table by table name, in the order of SCHEMA; every draw comes from `rng`."""
    agents, customers, adjusters = _people(rng)
    products: Rows = [(name, line) for line, (names, _) in _PRODUCTS.items() for name in names]
    products = [(number, *product) for number, product in enumerate(products, 1)]
    coverages: Rows = [(name, line) for line, names in _COVERAGES.items() for name in names]
    coverages = [(number, *coverage) for number, coverage in enumerate(coverages, 1)]
    policies = _policies(rng, products, agents)
    covered: dict[Value, Rows] = {}
    for policy in policies:
        line = products[int(str(policy[2])) - 1][2]
        known = [coverage[0] for coverage in coverages if coverage[2] == line]
        covered[policy[0]] = [
            (policy[0], part, 1000 * rng.choice((2, 5, 10, 20, 50)), rng.choice((None, None, 100, 150, 300)))
            for part in several(rng, known, rng.integers(1, 4))
        ]
    claims, payouts = _claims(rng, policies, covered)
    cities = rng.shuffled(_CITIES)
    return {
        "agency": [(number, name, cities[number]) for number, name in enumerate(_AGENCIES, 1)],
        "agent": agents,
        "customer": customers,
        "product": products,
        "coverage": coverages,
        "policy": policies,
        "policy_coverage": [part for parts in covered.values() for part in parts],
        "adjuster": adjusters,
        "claim": claims,
        "payout": payouts,
        "invoice": _invoices(rng, policies),
        "complaint": _complaints(rng, policies),
    }
