"""The tables of bookshop, and how they are filled."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Rows
from agentgym.envs.text_to_sql.shipped.filling import day, later, maybe, person, several, skewed
from agentgym.rng import TurnRng

SCHEMA: Final = """
CREATE TABLE publisher (
    publisher_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    city TEXT NOT NULL,
    founded INTEGER
);
CREATE TABLE author (
    author_id INTEGER PRIMARY KEY,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    country TEXT,
    birth_year INTEGER
);
CREATE TABLE genre (
    genre_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE book (
    book_id INTEGER PRIMARY KEY,
    title TEXT NOT NULL UNIQUE,
    publisher_id INTEGER NOT NULL REFERENCES publisher (publisher_id),
    language TEXT NOT NULL,
    published TEXT NOT NULL,
    pages INTEGER NOT NULL,
    price_cents INTEGER NOT NULL,
    series TEXT
);
CREATE TABLE book_author (
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    author_id INTEGER NOT NULL REFERENCES author (author_id),
    role TEXT NOT NULL,
    PRIMARY KEY (book_id, author_id)
);
CREATE TABLE book_genre (
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    genre_id INTEGER NOT NULL REFERENCES genre (genre_id),
    PRIMARY KEY (book_id, genre_id)
);
CREATE TABLE customer (
    customer_id INTEGER PRIMARY KEY,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    city TEXT NOT NULL,
    email TEXT,
    joined TEXT NOT NULL
);
CREATE TABLE purchase (
    purchase_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
    bought_on TEXT NOT NULL,
    channel TEXT NOT NULL,
    shipped_on TEXT
);
CREATE TABLE purchase_line (
    purchase_id INTEGER NOT NULL REFERENCES purchase (purchase_id),
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    quantity INTEGER NOT NULL,
    paid_cents INTEGER NOT NULL,
    PRIMARY KEY (purchase_id, book_id)
);
CREATE TABLE review (
    review_id INTEGER PRIMARY KEY,
    book_id INTEGER NOT NULL REFERENCES book (book_id),
    customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
    stars INTEGER NOT NULL,
    written_on TEXT NOT NULL,
    comment TEXT
);
CREATE INDEX purchase_of_customer ON purchase (customer_id);
CREATE INDEX line_of_book ON purchase_line (book_id);
"""

CITIES: Final = ("Bergen", "Bristol", "Ghent", "Graz", "Lyon", "Porto", "Tartu", "Turin")
LANGUAGES: Final = ("English", "French", "German", "Portuguese", "Estonian")
GENRES: Final = ("Biography", "Cookery", "Crime", "Fantasy", "History", "Poetry", "Romance", "Science", "Travel")
COUNTRIES: Final = ("Austria", "Belgium", "Brazil", "Estonia", "France", "Italy", "Nigeria", "Norway", "Portugal")
SERIES: Final = ("Harbour Nights", "Kitchen Letters", "The Glass Coast", "Small Lives", "Old Roads", "Night Trains")
PUBLISHERS: Final = (
    "Alder House", "Blue Anchor", "Casa do Livro", "Delft and Sons", "Eastgate", "Folio Nord", "Grey Heron",
    "Hollow Oak", "Iris Press", "Juniper", "Kite Books", "Lantern", "Mill Lane", "North Pier", "Orchard Row",
)  # fmt: skip
ADJECTIVES: Final = (
    "Silent", "Golden", "Broken", "Distant", "Hidden", "Last", "Bitter", "Northern", "Paper", "Salt", "Winter",
    "Crooked", "Borrowed", "Burning", "Quiet", "Second", "Empty", "Red",
)  # fmt: skip
NOUNS: Final = (
    "Garden", "River", "Letter", "Harbour", "Orchard", "Bridge", "Recipe", "Island", "Mirror", "Kingdom", "Summer",
    "Window", "Road", "Tide", "Lighthouse", "Feast", "Archive",
)  # fmt: skip
COMMENTS: Final = ("Could not put it down.", "A gift, well received.", "Too long.", "Good pictures.", "Read it twice.")


def fill(rng: TurnRng) -> dict[str, Rows]:
    """Return table → rows: about 300 books, 400 customers, 1,300 purchases."""
    publishers: Rows = [
        (number, name, CITIES[number % 5], maybe(rng, 1900 + 5 * rng.integers(24), 0.2))
        for number, name in enumerate(rng.shuffled(PUBLISHERS), 1)
    ]
    authors: Rows = [
        (number, *person(rng), maybe(rng, rng.choice(COUNTRIES), 0.15), maybe(rng, 1930 + rng.integers(70), 0.25))
        for number in range(1, 141)
    ]
    titles = rng.shuffled([f"The {adjective} {noun}" for adjective in ADJECTIVES for noun in NOUNS])
    books: Rows = []
    written: Rows = []
    kinds: Rows = []
    for number, title in enumerate(titles[:300], 1):
        published, pages = day(rng, "2012-01-01", "2023-12-31"), 80 + 4 * rng.integers(190)
        price = 695 + 10 * rng.integers(360)
        series = maybe(rng, rng.choice(SERIES), 0.7)
        language = skewed(rng, LANGUAGES)
        books.append((number, title, 1 + rng.integers(15), language, published, pages, price, series))
        makers = several(rng, range(1, 141), rng.choice((1, 1, 1, 2, 2, 3)))
        roles = ["author"] + [rng.choice(("author", "translator", "illustrator")) for _ in makers[1:]]
        written += [(number, maker, role) for maker, role in zip(makers, roles, strict=True)]
        kinds += [(number, kind) for kind in several(rng, range(1, len(GENRES) + 1), rng.choice((1, 1, 2, 2, 3)))]
    customers: Rows = [_customer(rng, number) for number in range(1, 401)]
    purchases, lines = _purchases(rng, customers, books)
    reviews: Rows = [
        (
            number, skewed(rng, range(1, 301)), skewed(rng, range(1, 401), 2.2), rng.choice((1, 2, 3, 3, 4, 4, 5, 5)),
            day(rng, "2022-01-01", "2024-12-31"), maybe(rng, rng.choice(COMMENTS), 0.5),
        )
        for number in range(1, 701)
    ]  # fmt: skip
    return {
        "publisher": publishers, "author": authors, "genre": list(enumerate(GENRES, 1)), "book": books,
        "book_author": written, "book_genre": kinds, "customer": customers, "purchase": purchases,
        "purchase_line": lines, "review": reviews,
    }  # fmt: skip


def _customer(rng: TurnRng, number: int) -> tuple[int, str, str, str, str | None, str]:
    first, last = person(rng)
    email = maybe(rng, f"{first}.{last}{number}@mail.example".lower(), 0.2)
    return number, first, last, skewed(rng, CITIES, 1.5), email, day(rng, "2019-01-01", "2022-12-31")


def _purchases(rng: TurnRng, customers: Rows, books: Rows) -> list[Rows]:
    purchases: Rows = []
    lines: Rows = []
    for number in range(1, 1301):
        bought, channel = day(rng, "2023-01-01", "2024-12-31"), rng.choice(("shop", "online", "online"))
        shipped = maybe(rng, later(bought, rng.integers(9)), 0.12) if channel == "online" else None
        purchases.append((number, skewed(rng, customers, 1.5)[0], bought, channel, shipped))
        for book in dict.fromkeys(skewed(rng, books, 3.2) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))):
            price = book[6] if isinstance(book[6], int) else 0
            paid = price - rng.choice((0, 0, 0, 100, 200))
            lines.append((number, book[0], rng.choice((1, 1, 1, 1, 2, 3)), paid))
    return [purchases, lines]
