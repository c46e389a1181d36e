"""bookshop: books, who made them and who bought them; ten tables, two of them many-to-many."""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.bookshop_rows import CITIES, GENRES, LANGUAGES, SCHEMA, SERIES, fill
from agentgym.envs.text_to_sql.shipped.families import Family

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "bookshop"
CITY: Final = {"city": CITIES}
YEAR: Final = {"year": ("2023", "2024")}
MONTHS: Final = (
    ("2023-03", "March 2023"), ("2023-07", "July 2023"), ("2023-11", "November 2023"), ("2024-02", "February 2024"),
    ("2024-05", "May 2024"), ("2024-09", "September 2024"),
)  # fmt: skip
TWO_GENRES: Final = {
    "one other": (("Crime", "Poetry"), ("History", "Travel"), ("Cookery", "Fantasy"), ("Science", "Romance"))
}

FAMILIES: Final = (
    Family(
        "joined_in", "easy",
        (
            "How many customers from {city} joined in {year}?",
            "Count the people in {city} who became customers in {year}.",
        ),
        "SELECT COUNT(customer_id) FROM customer WHERE city = {city} AND joined LIKE '{year:raw}-%'",
        {"city": CITIES, "year": (2019, 2020, 2021, 2022)}, "Dates begin with the year, as in {year}-08-31.",
    ),
    Family(
        "dearest_titles", "easy",
        (
            "What are the {n} dearest {language} books by list price? Give title and price in cents, the dearest first,"
            " equal prices by title.",
            "List title and list price in cents of the {n} most expensive books in {language}, from the highest price"
            " down, then by title.",
        ),
        "SELECT title, price_cents FROM book WHERE language = {language} ORDER BY price_cents DESC, title LIMIT {n}",
        {"language": LANGUAGES, "n": (5, 8)},
    ),
    Family(
        "commented", "easy",
        (
            "What is the average number of stars, rounded to 2 decimals, of the reviews with a comment written from"
            " {first} to {last}, both days included?",
            "Over the reviews from {first} to {last} (both included) that have a comment, what is the mean of the"
            " stars, to 2 decimals?",
        ),
        "SELECT ROUND(AVG(stars), 2) AS average FROM review WHERE comment IS NOT NULL"
        " AND written_on BETWEEN {first} AND {last}",
        {
            "first last": (
                ("2022-01-01", "2022-06-30"), ("2022-07-01", "2023-03-31"), ("2023-05-01", "2023-12-31"),
                ("2024-01-01", "2024-04-30"),
            )
        },
    ),
    Family(
        "series_size", "easy",
        (
            "Which series has how many books and pages, counting books with more than {n} pages alone? Give series,"
            " number of books and total pages; leave out books of no series.",
            "For every series give its name, the number of its books of over {n} pages, and their pages in all.",
        ),
        "SELECT series, COUNT(*) AS books, SUM(pages) AS pages FROM book WHERE series IS NOT NULL AND pages > {n}"
        " GROUP BY series",
        {"n": (150, 300, 450)}, count=2,
    ),
    Family(
        "in_language", "easy",
        ("How many books are in {language}?", "Count the books in {language} that the shop lists."),
        "SELECT COUNT(*) FROM book WHERE language = {language}",
        {"language": LANGUAGES}, count=2,
    ),
    Family(
        "long_books", "easy",
        (
            "Which {language} books have more than {pages} pages? Give title and pages, the longest first and books of"
            " equal length by title.",
            "List title and number of pages of all books in {language} with over {pages} pages, sorted from the longest"
            " to the shortest, then by title.",
        ),
        "SELECT title, pages FROM book WHERE language = {language} AND pages > {pages} ORDER BY pages DESC, title",
        {"language": ("English", "French", "German"), "pages": (700, 750)},
    ),
    Family(
        "no_email", "easy",
        (
            "Which customers from {city} have left no e-mail address? Give their first and last names.",
            "Give first name and last name of each customer in {city} whose e-mail address is unknown.",
        ),
        "SELECT first_name, last_name FROM customer WHERE city = {city} AND email IS NULL",
        CITY,
    ),
    Family(
        "price_range", "easy",
        (
            "What do the cheapest and the dearest book published in {year} cost, by list price in cents?",
            "Give the lowest and the highest list price, in cents, among books published in {year}.",
        ),
        "SELECT MIN(price_cents) AS lowest, MAX(price_cents) AS highest FROM book"
        " WHERE strftime('%Y', published) = {year}",
        {"year": ("2014", "2016", "2018", "2019", "2021", "2022")},
    ),
    Family(
        "waiting_parcels", "easy",
        (
            "How many {channel} purchases of {year} have no shipping date?",
            "Count the purchases made {channel} in {year} that were never marked as shipped.",
        ),
        "SELECT COUNT(*) FROM purchase WHERE channel = {channel} AND bought_on >= '{year:raw}-01-01'"
        " AND bought_on <= '{year:raw}-12-31' AND shipped_on IS NULL",
        {"channel": ("online",), "year": ("2023", "2024")},
        "The channel is 'online' or 'shop'; {year} runs from {year}-01-01 to {year}-12-31.",
    ),
    Family(
        "monthly_purchases", "medium",
        (
            "For each month of {year}, how many purchases were made through the channel '{channel}'? Give the month as"
            " two digits and the number, in the order of the months.",
            "Count the '{channel}' purchases of {year} by month: two-digit month and count, January first.",
        ),
        "SELECT strftime('%m', bought_on) AS month, COUNT(*) AS purchases FROM purchase"
        " WHERE strftime('%Y', bought_on) = {year} AND channel = {channel} GROUP BY month ORDER BY month",
        {"channel": ("shop", "online"), **YEAR},
    ),
    Family(
        "standing_series", "medium",
        (
            "How many books in {language} does each series have, books outside any series counted under 'none'? Give"
            " series and number.",
            "Count the {language} books per series; those that belong to no series come under the name 'none'.",
        ),
        "SELECT COALESCE(series, 'none') AS series_name, COUNT(*) AS books FROM book WHERE language = {language}"
        " GROUP BY series_name",
        {"language": LANGUAGES}, count=2,
    ),
    Family(
        "busy_translators", "medium",
        (
            "Who has worked as {role} on at least {n} books? Give id, first name, last name and the number of those"
            " books.",
            "List every person (id, first and last name) with {n} or more books in the role of {role}, and how many.",
        ),
        "SELECT a.author_id, a.first_name, a.last_name, COUNT(*) AS books FROM author AS a"
        " JOIN book_author AS w ON w.author_id = a.author_id WHERE w.role = {role}"
        " GROUP BY a.author_id HAVING COUNT(*) >= {n}",
        {"role": ("translator", "illustrator"), "n": (2, 3)},
    ),
    Family(
        "unsold", "medium",
        (
            "Which {genre} books have never been bought? Give their titles.",
            "List the titles in the genre {genre} that do not occur in any purchase.",
        ),
        "SELECT b.title FROM book AS b JOIN book_genre AS k ON k.book_id = b.book_id"
        " JOIN genre AS g ON g.genre_id = k.genre_id WHERE g.name = {genre}"
        " AND NOT EXISTS (SELECT 1 FROM purchase_line AS l WHERE l.book_id = b.book_id)",
        {"genre": ("Crime", "Poetry", "Science", "Travel", "History")},
    ),
    Family(
        "bought_in_month", "medium",
        (
            "Which different titles did customers from {city} buy in {month_name}?",
            "List each title once that somebody living in {city} bought in {month_name}.",
        ),
        "SELECT DISTINCT b.title FROM customer AS c JOIN purchase AS p ON p.customer_id = c.customer_id"
        " JOIN purchase_line AS l ON l.purchase_id = p.purchase_id JOIN book AS b ON b.book_id = l.book_id"
        " WHERE c.city = {city} AND strftime('%Y-%m', p.bought_on) = {month}",
        {"city": ("Bergen", "Bristol", "Ghent", "Graz"), "month month_name": MONTHS},
        "{month_name} is the month {month}.",
    ),
    Family(
        "genre_revenue", "medium",
        (
            "How much did books of each genre bring in during {year}, in cents? Give genre and revenue, the highest"
            " revenue first. A book of several genres counts fully in each.",
            "Rank the genres by the money taken in {year}: genre name and revenue in cents, from the highest to the"
            " lowest; a book counts in every genre it has.",
        ),
        "SELECT g.name, SUM(l.quantity * l.paid_cents) AS revenue FROM genre AS g"
        " JOIN book_genre AS k ON k.genre_id = g.genre_id JOIN purchase_line AS l ON l.book_id = k.book_id"
        " JOIN purchase AS p ON p.purchase_id = l.purchase_id WHERE strftime('%Y', p.bought_on) = {year}"
        " GROUP BY g.genre_id ORDER BY revenue DESC",
        YEAR, "The revenue of a line is its quantity times the price paid for one copy.",
    ),
    Family(
        "slow_parcels", "medium",
        (
            "How many days passed on average between an online purchase by a customer from {city} and its shipping?"
            " Round to 1 decimal and leave out what has no shipping date.",
            "What is the average number of days, rounded to 1 decimal, from purchase to shipping for customers in"
            " {city}, over the purchases with a shipping date?",
        ),
        "SELECT ROUND(AVG(julianday(p.shipped_on) - julianday(p.bought_on)), 1) AS days FROM purchase AS p"
        " JOIN customer AS c ON c.customer_id = p.customer_id WHERE c.city = {city} AND p.shipped_on IS NOT NULL",
        {"city": ("Bergen", "Ghent", "Lyon", "Porto")}, "Only online purchases are ever shipped.", count=2,
    ),
    Family(
        "reviewed_unbought", "medium",
        (
            "How many reviews with {stars} stars came from customers who never bought the book they reviewed?",
            "Count the {stars}-star reviews whose writer has no purchase of that book.",
        ),
        "SELECT COUNT(*) FROM review AS r WHERE r.stars = {stars} AND NOT EXISTS (SELECT 1 FROM purchase AS p"
        " JOIN purchase_line AS l ON l.purchase_id = p.purchase_id"
        " WHERE p.customer_id = r.customer_id AND l.book_id = r.book_id)",
        {"stars": (2, 3, 4, 5)},
    ),
    Family(
        "well_liked", "medium",
        (
            "Which {language} books have at least {n} reviews and an average of {stars} stars or better? Give title,"
            " number of reviews and the average rounded to 2 decimals.",
            "Give title, review count and average stars (2 decimals) of the books in {language} that got {n} or more"
            " reviews and average at least {stars} stars.",
        ),
        "SELECT b.title, COUNT(*) AS reviews, ROUND(AVG(r.stars), 2) AS average FROM book AS b"
        " JOIN review AS r ON r.book_id = b.book_id WHERE b.language = {language} GROUP BY b.book_id"
        " HAVING COUNT(*) >= {n} AND AVG(r.stars) >= {stars}",
        {"language": LANGUAGES[:3], "n": (3, 4), "stars": (4,)}, count=2,
    ),
    Family(
        "runner_up", "medium",
        (
            "Which {genre} book has the second highest list price? Give title and price in cents.",
            "Give title and list price in cents of the second most expensive book of the genre {genre}.",
        ),
        "SELECT b.title, b.price_cents FROM book AS b WHERE b.book_id IN (SELECT k.book_id FROM book_genre AS k"
        " JOIN genre AS g ON g.genre_id = k.genre_id WHERE g.name = {genre})"
        " ORDER BY b.price_cents DESC LIMIT 1 OFFSET 1",
        {"genre": GENRES},
    ),
    Family(
        "both_genres", "hard",
        (
            "Which customers in {city} have bought at least one {one} book and at least one {other} book? Give their"
            " ids.",
            "List the ids of customers from {city} among whose purchases there is a {one} book and also a {other} book"
            " (one book of both genres counts for both).",
        ),
        "SELECT c.customer_id FROM customer AS c JOIN purchase AS p ON p.customer_id = c.customer_id"
        " JOIN purchase_line AS l ON l.purchase_id = p.purchase_id JOIN book_genre AS k ON k.book_id = l.book_id"
        " JOIN genre AS g ON g.genre_id = k.genre_id WHERE c.city = {city} AND g.name = {one} INTERSECT"
        " SELECT c.customer_id FROM customer AS c JOIN purchase AS p ON p.customer_id = c.customer_id"
        " JOIN purchase_line AS l ON l.purchase_id = p.purchase_id JOIN book_genre AS k ON k.book_id = l.book_id"
        " JOIN genre AS g ON g.genre_id = k.genre_id WHERE c.city = {city} AND g.name = {other}",
        {"city": ("Bergen", "Bristol", "Lyon"), **TWO_GENRES},
    ),
    Family(
        "one_not_other", "hard",
        (
            "Which authors have written {one} books but no {other} book? Count those with the role of author alone, and"
            " give their ids.",
            "Give the ids of all people who are credited in the role of author with a {one} book and with no {other}"
            " book.",
        ),
        "SELECT w.author_id FROM book_author AS w JOIN book_genre AS k ON k.book_id = w.book_id"
        " JOIN genre AS g ON g.genre_id = k.genre_id WHERE w.role = 'author' AND g.name = {one} EXCEPT"
        " SELECT w.author_id FROM book_author AS w JOIN book_genre AS k ON k.book_id = w.book_id"
        " JOIN genre AS g ON g.genre_id = k.genre_id WHERE w.role = 'author' AND g.name = {other}",
        TWO_GENRES, count=2,
    ),
    Family(
        "best_of_publisher", "hard",
        (
            "For each publisher in {city}, which of its books sold the most copies? Give publisher, title and copies;"
            " where several books tie, give them all.",
            "Name the best-selling book, by copies sold, of every publisher seated in {city}, ties included: publisher,"
            " title, copies.",
        ),
        "WITH sold AS (SELECT b.publisher_id, b.title, SUM(l.quantity) AS copies,"
        " RANK() OVER (PARTITION BY b.publisher_id ORDER BY SUM(l.quantity) DESC) AS place FROM book AS b"
        " JOIN purchase_line AS l ON l.book_id = b.book_id GROUP BY b.book_id)"
        " SELECT u.name, s.title, s.copies FROM sold AS s JOIN publisher AS u ON u.publisher_id = s.publisher_id"
        " WHERE u.city = {city} AND s.place = 1",
        {"city": CITIES[:5]},
    ),
    Family(
        "running_revenue", "hard",
        (
            "How did the revenue from {channel} purchases add up over {year}? Give each month as YYYY-MM and the cents"
            " taken from the beginning of the year to the end of that month, in order of month.",
            "For every month of {year} (as YYYY-MM, earliest first), give the revenue in cents of the channel"
            " '{channel}' since the start of that year, that month included.",
        ),
        "WITH monthly AS (SELECT strftime('%Y-%m', p.bought_on) AS month, SUM(l.quantity * l.paid_cents) AS cents"
        " FROM purchase AS p JOIN purchase_line AS l ON l.purchase_id = p.purchase_id"
        " WHERE p.channel = {channel} AND strftime('%Y', p.bought_on) = {year} GROUP BY month)"
        " SELECT month, SUM(cents) OVER (ORDER BY month) AS so_far FROM monthly ORDER BY month",
        {"channel": ("shop", "online"), **YEAR},
        "The revenue of a line is its quantity times the price paid for one copy.",
    ),
    Family(
        "longer_than_usual", "hard",
        (
            "Which {language} books of the series '{series}' have more pages than the average book of their own"
            " publisher? Give title and pages.",
            "Give title and page count of the books in {language} and in the series '{series}' that are longer than the"
            " mean of all books from the same publisher.",
        ),
        "SELECT b.title, b.pages FROM book AS b WHERE b.series = {series} AND b.language = {language}"
        " AND b.pages > (SELECT AVG(o.pages) FROM book AS o WHERE o.publisher_id = b.publisher_id)",
        {"language": ("English", "French"), "series": SERIES},
    ),
    Family(
        "online_share", "hard",
        (
            "In which cities were more than {n} per cent of all purchases made online? Give city and percentage rounded"
            " to 1 decimal.",
            "Give each city whose customers make more than {n} per cent of their purchases online, with the share as a"
            " percentage rounded to 1 decimal.",
        ),
        "SELECT c.city, ROUND(100.0 * SUM(p.channel = 'online') / COUNT(*), 1) AS share FROM purchase AS p"
        " JOIN customer AS c ON c.customer_id = p.customer_id GROUP BY c.city"
        " HAVING 100.0 * SUM(p.channel = 'online') / COUNT(*) > {n}",
        {"n": (62, 64, 66)}, "A purchase belongs to the city of its customer.", count=2,
    ),
    Family(
        "longest_pause", "hard",
        (
            "For the customers of {city} with more than one purchase, what is the longest time in days between two"
            " purchases in a row? Give customer id and days, for pauses of over {n} days only.",
            "Which customers from {city} once paused for more than {n} days between one purchase and their next? Give"
            " the id and the longest such pause in days.",
        ),
        "SELECT customer_id, MAX(pause) AS days FROM (SELECT p.customer_id, CAST(julianday(p.bought_on)"
        " - julianday(LAG(p.bought_on) OVER (PARTITION BY p.customer_id ORDER BY p.bought_on)) AS INTEGER) AS pause"
        " FROM purchase AS p JOIN customer AS c ON c.customer_id = p.customer_id WHERE c.city = {city})"
        " GROUP BY customer_id HAVING MAX(pause) > {n}",
        {"city": ("Bristol", "Ghent", "Graz", "Lyon"), "n": (300, 350)},
    ),
    Family(
        "whole_scale", "hard",
        (
            "Which customers have given every number of stars from 1 to 5 at least once? Give first name, last name and"
            " how many reviews they wrote, the most reviews first, then by customer id.",
            "List first name, last name and number of reviews of the customers whose reviews cover all 5 ratings;"
            " sort by number of reviews, highest first, then by customer id.",
        ),
        "SELECT c.first_name, c.last_name, COUNT(*) AS reviews FROM customer AS c"
        " JOIN review AS r ON r.customer_id = c.customer_id GROUP BY c.customer_id"
        " HAVING COUNT(DISTINCT r.stars) = 5 ORDER BY reviews DESC, c.customer_id",
    ),
    Family(
        "full_baskets", "medium",
        (
            "Which {channel} purchases of {month_name} held at least {n} different books? Give purchase id, number of"
            " different books and the total paid in cents.",
        ),
        "SELECT p.purchase_id, COUNT(*) AS books, SUM(l.quantity * l.paid_cents) AS cents FROM purchase AS p"
        " JOIN purchase_line AS l ON l.purchase_id = p.purchase_id WHERE p.channel = {channel}"
        " AND strftime('%Y-%m', p.bought_on) = {month} GROUP BY p.purchase_id HAVING COUNT(*) >= {n}",
        {"channel": ("online", "shop"), "month month_name": MONTHS, "n": (2, 3)},
        "The channel is 'online' or 'shop'. {month_name} is the month {month}. The price paid is that of one copy.",
    ),
    Family(
        "first_purchase", "hard",
        (
            "Which customers from {city} made their very first purchase in {month_name}? Give id and the date of that"
            " purchase, in order of date, then id.",
            "Give customer id and date of the first purchase for everybody in {city} who started buying in"
            " {month_name}; sort by date, then by id.",
        ),
        "SELECT c.customer_id, MIN(p.bought_on) AS first_day FROM customer AS c JOIN purchase AS p"
        " ON p.customer_id = c.customer_id WHERE c.city = {city} GROUP BY c.customer_id"
        " HAVING strftime('%Y-%m', MIN(p.bought_on)) = {month} ORDER BY first_day, c.customer_id",
        {"city": ("Bergen", "Bristol", "Ghent", "Graz"), "month month_name": MONTHS},
        "{month_name} is the month {month}.",
    ),
    Family(
        "latest_review", "hard",
        (
            "What is the latest review of each {language} book in the series '{series}'? Give title, date and stars;"
            " where two were written on one day, take the one with the higher review id.",
        ),
        "SELECT title, written_on, stars FROM (SELECT b.title, r.written_on, r.stars, ROW_NUMBER() OVER"
        " (PARTITION BY r.book_id ORDER BY r.written_on DESC, r.review_id DESC) AS place FROM review AS r"
        " JOIN book AS b ON b.book_id = r.book_id WHERE b.series = {series} AND b.language = {language}) AS latest"
        " WHERE place = 1",
        {"language": ("English", "French"), "series": SERIES},
    ),
    Family(
        "unknown_origin", "easy",
        (
            "How many people in the list of authors have neither a country nor a year of birth on record, and how many"
            " have both? Give the two numbers.",
        ),
        "SELECT SUM(country IS NULL AND birth_year IS NULL) AS neither,"
        " SUM(country IS NOT NULL AND birth_year IS NOT NULL) AS both_known FROM author",
    ),
)  # fmt: skip
