"""The tables of restaurants, and how they are filled."""

from __future__ import annotations

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import FIRST_NAMES, LAST_NAMES, day, later, maybe, several
from agentgym.rng import TurnRng

SCHEMA = """
CREATE TABLE city (
    city_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    region TEXT NOT NULL,
    population INTEGER NOT NULL
);
CREATE TABLE restaurant (
    restaurant_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city_id INTEGER NOT NULL REFERENCES city (city_id),
    cuisine TEXT NOT NULL,
    price_level INTEGER NOT NULL,
    seats INTEGER,
    opened TEXT NOT NULL,
    closed TEXT
);
CREATE TABLE dish (
    dish_id INTEGER PRIMARY KEY,
    restaurant_id INTEGER NOT NULL REFERENCES restaurant (restaurant_id),
    name TEXT NOT NULL,
    course TEXT NOT NULL,
    price REAL NOT NULL,
    kcal INTEGER,
    vegetarian INTEGER NOT NULL,
    UNIQUE (restaurant_id, name)
);
CREATE TABLE ingredient (
    ingredient_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    allergen TEXT
);
CREATE TABLE dish_ingredient (
    dish_id INTEGER NOT NULL REFERENCES dish (dish_id),
    ingredient_id INTEGER NOT NULL REFERENCES ingredient (ingredient_id),
    grams INTEGER NOT NULL,
    PRIMARY KEY (dish_id, ingredient_id)
);
CREATE TABLE guest (
    guest_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    home_city_id INTEGER REFERENCES city (city_id),
    joined TEXT NOT NULL
);
CREATE TABLE review (
    review_id INTEGER PRIMARY KEY,
    restaurant_id INTEGER NOT NULL REFERENCES restaurant (restaurant_id),
    guest_id INTEGER NOT NULL REFERENCES guest (guest_id),
    visited TEXT NOT NULL,
    rating INTEGER NOT NULL,
    spend REAL,
    replied TEXT,
    UNIQUE (restaurant_id, guest_id, visited)
);
CREATE TABLE inspection (
    inspection_id INTEGER PRIMARY KEY,
    restaurant_id INTEGER NOT NULL REFERENCES restaurant (restaurant_id),
    inspector TEXT NOT NULL,
    inspected TEXT NOT NULL,
    score INTEGER NOT NULL,
    follow_up TEXT,
    UNIQUE (restaurant_id, inspected)
);
"""

_CITIES = (  # name, region, population, restaurants
    ("Port Ambry", "Coast", 182000, 12),
    ("Selkie Bay", "Coast", 47000, 4),
    ("Harrowmouth", "Coast", 96000, 8),
    ("Kestrel Hill", "Hills", 63000, 7),
    ("Old Tarn", "Hills", 28000, 5),
    ("Marlow Down", "Hills", 47000, 6),
    ("Wheatley", "Plains", 121000, 10),
    ("Broadacre", "Plains", 74000, 5),
    ("Linden Cross", "Plains", 96000, 7),
)
_CUISINES = ("Italian", "Japanese", "Indian", "Mexican", "French", "Lebanese", "Thai")
_CHAINS = ("Golden Fork", "Noodle Yard", "Casa Limon")
_NAMES = (
    "Amber Table", "Basil Street", "Black Kettle", "Blue Heron", "Brass Ladle", "Cedar Room", "Chalk and Salt",
    "Cinder Grill", "Clay Oven", "Copper Pan", "Corner Hearth", "Driftwood", "Ember House", "Fennel", "Fig Tree",
    "Foxglove", "Garden Gate", "Glass Onion", "Green Lantern", "Harbour Lights", "Honeycomb", "Iron Skillet", "Juniper",
    "Kitchen Nine", "Larder", "Lemon Grove", "Little Orchard", "Lotus Pond", "Magpie", "Maple Yard", "Millstone",
    "Moonrise", "Nettle Soup", "Night Market", "Oak Barrel", "Old Customs House", "Olive Branch", "Open Flame",
    "Paper Crane", "Pepper Mill", "Quince", "Red Lacquer", "River Stone", "Saffron Gate", "Sea Salt", "Silver Spoon",
    "Tamarind", "Thyme", "Twelve Chairs", "Velvet Plum", "White Birch", "Yellow Door",
)  # fmt: skip
_DISHES = {  # course, then names; those with meat or fish have a star
    "starter": "bruschetta|*prawn rolls|lentil soup|hummus plate|*fish cakes|onion tart|samosa|beet salad|"
    "*chicken broth|stuffed peppers|garlic bread|*beef skewers",
    "main": "*grilled trout|green curry|lasagne|*lamb stew|mushroom risotto|*beef noodles|falafel bowl|*roast chicken|"
    "bean chili|vegetable tagine|*seafood rice|aubergine bake|*pork dumplings|chickpea masala",
    "dessert": "lemon tart|rice pudding|chocolate cake|almond cake|fruit sorbet|honey pastry|cheese plate|"
    "coconut flan|poached pear",
}
_INGREDIENTS = (  # kind, then names with the allergen, if any
    ("vegetable", "onion|garlic|tomato|aubergine|spinach|mushroom|bell pepper|celery:celery"),
    ("meat", "chicken|beef|lamb|pork"),
    ("fish", "trout:fish|prawn:shellfish|squid:shellfish|anchovy:fish"),
    ("dairy", "butter:milk|cream:milk|feta:milk|yoghurt:milk"),
    ("grain", "rice|wheat flour:gluten|couscous:gluten|oats:gluten"),
    ("herb", "basil|coriander|mint|thyme"),
    ("nut", "almond:nuts|walnut:nuts|pistachio:nuts"),
    ("pantry", "egg:egg|soy sauce:soy|tahini:sesame|honey|lemon|chili"),
)
_INSPECTORS = ("B. Quill", "D. Osei", "M. Thorne", "P. Varga", "S. Lindqvist")
_FIRST_DAY, _LAST_DAY = "2020-07-01", "2024-06-30"
_EVES = tuple(f"{year}-12-31" for year in range(2020, 2024)) + tuple(f"{year}-01-01" for year in range(2021, 2025))
_ROUNDS = tuple(f"{year}-{month}-01" for year in range(2020, 2025) for month in ("02", "05", "08", "11"))[2:18]


def _restaurants(rng: TurnRng) -> Rows:
    """64 restaurants, of fixed numbers a city, cuisine and level of prices dealt out anew.

    Ten have closed; each city has some take-aways without seats.
    """
    names = rng.shuffled([*_NAMES, *_CHAINS * 4])
    cities = [number for number, city in enumerate(_CITIES, 1) for _ in range(city[3])]
    seats: list[int | None] = []
    for city in _CITIES:
        seats += rng.shuffled([None, *(4 * rng.integers(4, 17) for _ in range(city[3] - 1))])
    cuisines = rng.shuffled([_CUISINES[place % 7] for place in range(64)])
    levels = rng.shuffled([1] * 14 + [2] * 24 + [3] * 18 + [4] * 8)
    ends = rng.shuffled([None] * 54 + [f"202{1 + place % 3}-06-01" for place in range(10)])
    rows: Rows = []
    for place, where in enumerate(rng.shuffled(range(64))):
        opened = day(rng, "2010-01-01", "2020-06-15")
        end = ends[place]
        closed = None if end is None else later(end, rng.integers(300))
        row = (names[place], cities[where], cuisines[place], levels[place], seats[where], opened, closed)
        rows.append((place + 1, *row))
    return rows


def _menus(rng: TurnRng, restaurants: Rows, ingredients: Rows) -> tuple[Rows, Rows]:
    """Dishes (three restaurants have none yet) and what is in them; a vegetarian dish has neither meat nor fish."""
    sizes = rng.shuffled([0] * 3 + [3] * 10 + [4] * 15 + [5] * 16 + [6] * 12 + [7] * 8)
    dishes: Rows = []
    parts: Rows = []
    for restaurant, size in zip(restaurants, sizes, strict=True):
        names = {course: rng.shuffled(known.split("|")) for course, known in _DISHES.items()}
        for _ in range(size):
            course = rng.choice(tuple(_DISHES), (0.3, 0.45, 0.25))
            base, width = {"starter": (3, 6), "main": (9, 10), "dessert": (3, 6)}[course]
            price = base + int(restaurant[4] or 0) + rng.integers(width) + rng.choice((0, 0.5), (3, 1))
            kcal = None if rng.random() < 0.25 else 50 * rng.integers(4, 19)
            name = names[course].pop()
            meat = name.startswith("*")
            pool = rng.shuffled([item for item in ingredients if item[2] not in ("meat", "fish")])
            if meat:
                pool = [rng.choice([item for item in ingredients if item[2] in ("meat", "fish")]), *pool]
            chosen = pool[: rng.choice((1, 2, 3, 4), (1, 3, 3, 1))]
            dish = (len(dishes) + 1, restaurant[0], name.strip("*"), course, float(price), kcal, int(not meat))
            dishes.append(dish)
            parts += [(len(dishes), item[0], rng.choice((5, 10, 20, 50, 80, 100, 150))) for item in chosen]
    return dishes, parts


def _reviews(rng: TurnRng, restaurants: Rows, guests: int) -> Rows:
    """1,050 reviews, many of the turn of a year; three restaurants and four guests have none, others a great many."""
    places = rng.shuffled(restaurants)[3:]
    weights = [rng.choice((1, 2, 3, 5)) for _ in places]
    quality = {place[0]: rng.integers(3) for place in places}
    authors = rng.shuffled(range(1, guests + 1))[4:]
    busy = [rng.choice((1, 2, 4)) for _ in authors]
    seen: dict[tuple[object, ...], tuple[Value, ...]] = {}
    while len(seen) < 1050:
        place, author = rng.choice(places, weights), rng.choice(authors, busy)
        visited = rng.choice(_EVES) if rng.random() < 0.07 else day(rng, _FIRST_DAY, _LAST_DAY)
        rating = rng.choice((1, 2, 3, 4, 5), ((3, 4, 4, 3, 1), (1, 2, 4, 5, 3), (1, 1, 2, 5, 6))[quality[place[0]]])
        spend = maybe(rng, 2.5 * rng.integers(4, 13 + 4 * int(place[4] or 0)), 0.2)
        replied = maybe(rng, later(visited, rng.integers(1, 22)), 0.55)
        if place[7] is None or visited < str(place[7]):
            row = (len(seen) + 1, place[0], author, visited, rating, spend, replied)
            seen.setdefault((place[0], author, visited), row)
    return list(seen.values())


def _inspections(rng: TurnRng, restaurants: Rows) -> Rows:
    """Two to four inspections a restaurant, mostly on the day of a quarterly round, but none at eight of them."""
    rows: Rows = []
    for restaurant in rng.shuffled(restaurants)[8:]:
        for held in several(rng, _ROUNDS, rng.integers(2, 5)):
            inspected = later(held, rng.choice((0, rng.integers(1, 60)), (2, 1)))
            score = 5 * rng.choice(range(12, 21), (2, 1, 1, 2, 3, 3, 3, 2, 2))
            again = maybe(rng, later(inspected, 14 * rng.integers(1, 4)), 0.2 if score < 75 else 0.9)
            rows.append((len(rows) + 1, restaurant[0], rng.choice(_INSPECTORS), inspected, score, again))
    return rows


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return the rows of every table by table name, in the order of SCHEMA; every draw comes from `rng`."""
    cities: Rows = [(number, *city[:3]) for number, city in enumerate(_CITIES, 1)]
    pairs = [(kind, *item.split(":")) for kind, known in _INGREDIENTS for item in known.split("|")]
    ingredients: Rows = [
        (number, pair[1], pair[0], pair[2] if len(pair) > 2 else None) for number, pair in enumerate(pairs, 1)
    ]
    names = [f"{first} {last}" for last in LAST_NAMES[2:58:14] for first in FIRST_NAMES[::5]]
    homes = rng.shuffled([None] * 7 + [1 + place % 9 for place in range(41)])
    guests: Rows = [
        (number, name, homes[number - 1], day(rng, "2018-01-01", "2020-06-30")) for number, name in enumerate(names, 1)
    ]
    restaurants = _restaurants(rng)
    dishes, parts = _menus(rng, restaurants, ingredients)
    return {
        "city": cities,
        "restaurant": restaurants,
        "dish": dishes,
        "ingredient": ingredients,
        "dish_ingredient": parts,
        "guest": guests,
        "review": _reviews(rng, restaurants, len(guests)),
        "inspection": _inspections(rng, restaurants),
    }
