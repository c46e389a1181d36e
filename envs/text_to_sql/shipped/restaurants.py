"""restaurants: a guide to the restaurants of nine towns, with menus, recipes, guests' reviews and kitchen inspections.

8 tables, some 2,400 rows. Worth minding: chains (one name, several restaurants), places without menu, review or
inspection, one dish name on many menus at different prices, guests who review a place more than once.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.restaurants_rows import SCHEMA, fill

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "restaurants"
_CUISINES = ("Italian", "Japanese", "Indian", "Mexican", "French", "Lebanese", "Thai")
_CITIES = ("Port Ambry", "Harrowmouth", "Kestrel Hill", "Marlow Down", "Wheatley", "Broadacre", "Linden Cross")
_REGIONS = ("Coast", "Hills", "Plains")
_COURSES = ("starter", "main", "dessert")
_YEARS = ("2021", "2022", "2023")
_COURSE = "dish.course is 'starter', 'main' or 'dessert'."
_CLOSED = "restaurant.closed is NULL as long as a restaurant is open."

FAMILIES: Final = (
    Family(
        "allergen_cities", "medium",
        (
            "In which cities do at least {least} different restaurants have something with the allergen {allergen} on "
            "the menu? Give the city and how many such restaurants it has.",
            "I'm mapping where {allergen} is hard to avoid. List every city with {least} or more restaurants that "
            "serve a dish containing an ingredient with that allergen, and the number of those restaurants.",
        ),
        """SELECT c.name, COUNT(DISTINCT r.restaurant_id) AS restaurants
        FROM city c
        JOIN restaurant r ON r.city_id = c.city_id
        JOIN dish d ON d.restaurant_id = r.restaurant_id
        JOIN dish_ingredient di ON di.dish_id = d.dish_id
        JOIN ingredient i ON i.ingredient_id = di.ingredient_id
        WHERE i.allergen = {allergen}
        GROUP BY c.city_id, c.name HAVING COUNT(DISTINCT r.restaurant_id) >= {least}""",
        {"allergen": ("milk", "nuts", "gluten", "shellfish", "fish"), "least": (2, 3, 4)},
        "Restaurants that have closed count too.", 4,
    ),
    Family(
        "no_inspection_since", "medium",
        (
            "Which restaurants in the {region} region have had no kitchen inspection on {day} or later? Places that "
            "were never inspected belong on the list. I need id and name.",
            "Give me id and name of all restaurants of the {region} region that no inspector has visited since {day} "
            "(that day included), whether or not one came earlier.",
        ),
        """SELECT r.restaurant_id, r.name
        FROM restaurant r
        JOIN city c ON c.city_id = r.city_id
        LEFT JOIN inspection i ON i.restaurant_id = r.restaurant_id AND i.inspected >= {day}
        WHERE c.region = {region} AND i.inspection_id IS NULL""",
        {"region": _REGIONS, "day": ("2022-11-01", "2023-02-01", "2023-05-01", "2023-08-01", "2023-11-01")},
        "A restaurant without any row in inspection was never inspected; closed restaurants count too.", 4,
    ),
    Family(
        "second_dearest", "medium",
        (
            "For each course, which dishes in {city} carry the second-highest price of that course in town? Equal "
            "prices share a place. Show course, restaurant name, dish and price.",
            "Looking at all menus of {city} together: what is the runner-up in price among the starters, among the "
            "mains and among the desserts? Dishes of one price share second place, whatever shares the first. Columns: "
            "course, restaurant, dish, price.",
        ),
        """WITH placed AS (
            SELECT d.course, r.name AS restaurant, d.name AS dish, d.price,
                DENSE_RANK() OVER (PARTITION BY d.course ORDER BY d.price DESC) AS place
            FROM dish d
            JOIN restaurant r ON r.restaurant_id = d.restaurant_id
            JOIN city c ON c.city_id = r.city_id
            WHERE c.name = {city}
        )
        SELECT course, restaurant, dish, price FROM placed WHERE place = 2""",
        {"city": _CITIES}, count=4,
    ),
    Family(
        "on_menus_of_both", "medium",
        (
            "Which dishes are served by restaurants of price level {level} or lower both in {city} and in {other}? The "
            "same name means the same dish.",
            "Name every dish that one can order in {city} as well as in {other} without going above price level "
            "{level} in either town; dishes are the same if their names are.",
        ),
        """SELECT d.name FROM dish d JOIN restaurant r ON r.restaurant_id = d.restaurant_id
        JOIN city c ON c.city_id = r.city_id WHERE c.name = {city} AND r.price_level <= {level}
        INTERSECT
        SELECT d.name FROM dish d JOIN restaurant r ON r.restaurant_id = d.restaurant_id
        JOIN city c ON c.city_id = r.city_id WHERE c.name = {other} AND r.price_level <= {level}""",
        {
            "city": ("Port Ambry", "Wheatley", "Harrowmouth"),
            "other": ("Kestrel Hill", "Linden Cross", "Marlow Down"),
            "level": (2, 3),
        },
        count=4,
    ),
    Family(
        "ingredients_only_here", "hard",
        (
            "Which ingredients go into the {course}s of {cuisine} restaurants but into no {course} of a {other} one? "
            "Give name and kind.",
            "Compare two kitchens: list name and kind of the ingredients that go into some {course} of {cuisine} "
            "places, leaving out whatever {other} places use for theirs.",
        ),
        """SELECT i.name, i.kind FROM ingredient i
        WHERE i.ingredient_id IN (
            SELECT di.ingredient_id FROM dish_ingredient di JOIN dish d ON d.dish_id = di.dish_id
            JOIN restaurant r ON r.restaurant_id = d.restaurant_id WHERE r.cuisine = {cuisine} AND d.course = {course}
            EXCEPT
            SELECT di.ingredient_id FROM dish_ingredient di JOIN dish d ON d.dish_id = di.dish_id
            JOIN restaurant r ON r.restaurant_id = d.restaurant_id WHERE r.cuisine = {other} AND d.course = {course}
        )""",
        {
            "cuisine": ("Italian", "Indian", "French", "Thai"),
            "other": ("Japanese", "Mexican", "Lebanese"),
            "course": _COURSES,
        },
        _COURSE,
        4,
    ),
    Family(
        "better_than_before", "hard",
        (
            "Which {cuisine} restaurants were rated better on average in {year} than in {before}? Only places reviewed "
            "in both years can count. Return id and name.",
            "Id and name, please, of the {cuisine} places whose mean rating for visits in {year} lies above that for "
            "visits in {before}; a place without reviews in either year is out.",
        ),
        """SELECT r.restaurant_id, r.name FROM restaurant r
        WHERE r.cuisine = {cuisine}
            AND (SELECT AVG(v.rating) FROM review v
                WHERE v.restaurant_id = r.restaurant_id AND strftime('%Y', v.visited) = {year})
            > (SELECT AVG(v.rating) FROM review v
                WHERE v.restaurant_id = r.restaurant_id AND strftime('%Y', v.visited) = {before})""",
        {"cuisine": _CUISINES, "year before": (("2022", "2021"), ("2023", "2022"), ("2023", "2021"))},
        "The date of a review is that of the visit.", 4,
    ),
    Family(
        "reply_delay", "medium",
        (
            "How many days does it take the restaurants of each city in the {region} region to answer a review with "
            "{stars} stars or fewer? Per city: number of answered reviews and mean days from visit to reply, one "
            "decimal. Unanswered ones do not enter.",
            "Per city of the {region}: how many reviews rated {stars} or lower got a reply, and after how many days on "
            "average, counted from the visit and rounded to one decimal?",
        ),
        """SELECT c.name, COUNT(v.replied) AS answered,
            ROUND(AVG(julianday(v.replied) - julianday(v.visited)), 1) AS days
        FROM review v
        JOIN restaurant r ON r.restaurant_id = v.restaurant_id
        JOIN city c ON c.city_id = r.city_id
        WHERE c.region = {region} AND v.rating <= {stars}
        GROUP BY c.city_id, c.name""",
        {"region": _REGIONS, "stars": (2, 3, 4)},
        "review.replied is the date of the owner's reply, NULL where there was none.", 4,
    ),
    Family(
        "openings_so_far", "medium",
        (
            "Show how the restaurant scene of the {region} grew: for every year with an opening, the year, the "
            "openings in it, and the openings from the beginning up to the end of that year. Earliest year first.",
            "I want a growth curve for the {region} region. Per year in which at least one restaurant opened, oldest "
            "first: year, new restaurants, running total.",
        ),
        """SELECT strftime('%Y', r.opened) AS year, COUNT(*) AS openings,
            SUM(COUNT(*)) OVER (ORDER BY strftime('%Y', r.opened)) AS so_far
        FROM restaurant r JOIN city c ON c.city_id = r.city_id
        WHERE c.region = {region}
        GROUP BY strftime('%Y', r.opened) ORDER BY year""",
        {"region": _REGIONS}, "Restaurants that have closed since count as well.",
    ),
    Family(
        "calories_stated", "easy",
        (
            "Calorie information on {cuisine} menus: per course, how many dishes are there, for how many are the "
            "calories stated, and what are the highest stated calories?",
            "For the {cuisine} restaurants I need, by course, the number of dishes, the number of dishes whose menu "
            "gives calories, and the largest figure given.",
        ),
        """SELECT d.course, COUNT(*) AS dishes, COUNT(d.kcal) AS stated, MAX(d.kcal) AS most
        FROM dish d
        WHERE d.restaurant_id IN (SELECT restaurant_id FROM restaurant WHERE cuisine = {cuisine})
        GROUP BY d.course""",
        {"cuisine": _CUISINES}, "dish.kcal is NULL where the menu does not state the calories.", 4,
    ),
    Family(
        "meatless_mix", "easy",
        (
            "For every city of the {region} where some {course} is served by a restaurant still open, how many of "
            "these {course}s are vegetarian and how many are not? City first, then the two numbers.",
            "Split the {course}s of today's open restaurants in the {region} region by city: city, vegetarian ones, "
            "others. Cities without any {course} can be left out.",
        ),
        """SELECT c.name, SUM(CASE WHEN d.vegetarian = 1 THEN 1 ELSE 0 END) AS vegetarian,
            SUM(CASE WHEN d.vegetarian = 1 THEN 0 ELSE 1 END) AS other
        FROM dish d JOIN restaurant r ON d.restaurant_id = r.restaurant_id JOIN city c ON r.city_id = c.city_id
        WHERE d.course = {course} AND r.closed IS NULL AND c.region = {region}
        GROUP BY c.name""",
        {"course": ("starter", "main"), "region": _REGIONS}, f"dish.vegetarian is 1 or 0. {_CLOSED} {_COURSE}",
    ),
    Family(
        "gentle_guests", "hard",
        (
            "Which guests have reviewed at least one restaurant in {city} and never gave a restaurant there fewer than "
            "{stars} stars? Names only.",
            "Find the guests who like {city}: they wrote a review of some place there, and none of their reviews of "
            "places there is below {stars} stars. Just the names.",
        ),
        """SELECT name FROM guest
        WHERE guest_id IN (
            SELECT v.guest_id FROM review v JOIN restaurant r ON r.restaurant_id = v.restaurant_id
            JOIN city c ON c.city_id = r.city_id WHERE c.name = {city}
        ) AND guest_id NOT IN (
            SELECT v.guest_id FROM review v JOIN restaurant r ON r.restaurant_id = v.restaurant_id
            JOIN city c ON c.city_id = r.city_id WHERE c.name = {city} AND v.rating < {stars}
        )""",
        {"city": _CITIES, "stars": (2, 3, 4)}, "Stars are review.rating, from 1 to 5.", 4,
    ),
    Family(
        "affordable_mains", "easy",
        (
            "At which restaurants with at least {least} mains does no main cost more than {price}? Return id, name and "
            "the price of the dearest main.",
            "I'm after places with a choice of {least} or more mains, all of them for {price} or less: id, name, and "
            "what the most expensive one costs.",
        ),
        """SELECT r.restaurant_id, r.name, MAX(d.price) AS dearest
        FROM restaurant r JOIN dish d ON d.restaurant_id = r.restaurant_id
        WHERE d.course = 'main'
        GROUP BY r.restaurant_id, r.name HAVING COUNT(*) >= {least} AND MAX(d.price) <= {price}""",
        {"least": (2, 3), "price": (14, 15, 16, 17, 18)}, "dish.course is 'main' for mains.",
    ),
    Family(
        "score_drops", "hard",
        (
            "Where did a kitchen inspection in the year {year} end at least {points} points below the previous "
            "inspection of the same restaurant? Show restaurant id, date, previous score and new score.",
            "Find the setbacks of the year {year}: inspections whose score is {points} or more points lower than that "
            "of the inspection before at the same place (which may lie in an earlier year). Give restaurant id, "
            "inspection date, score before, score now.",
        ),
        """SELECT restaurant_id, inspected, previous, score
        FROM (
            SELECT restaurant_id, inspected, score,
                LAG(score) OVER (PARTITION BY restaurant_id ORDER BY inspected) AS previous
            FROM inspection
        ) AS paired
        WHERE strftime('%Y', inspected) = {year} AND previous - score >= {points}""",
        {"year": _YEARS, "points": (10, 15, 20)},
    ),
    Family(
        "menu_sizes", "medium",
        (
            "How long is a typical menu? Per price level from {low} to {high}: the number of restaurants, the mean "
            "number of dishes (2 decimals) and the longest menu. Restaurants that have no dish listed count with zero.",
            "For price levels {low} to {high}, compare menu lengths: level, restaurants, average dishes per restaurant "
            "to 2 decimals, most dishes at one restaurant. A restaurant without any dish counts as zero dishes.",
        ),
        """SELECT price_level, COUNT(*) AS restaurants, ROUND(AVG(dishes), 2) AS mean_dishes, MAX(dishes) AS longest
        FROM (
            SELECT r.restaurant_id, r.price_level, COUNT(d.dish_id) AS dishes
            FROM restaurant r LEFT JOIN dish d ON d.restaurant_id = r.restaurant_id
            GROUP BY r.restaurant_id, r.price_level
        ) AS menus
        WHERE price_level BETWEEN {low} AND {high}
        GROUP BY price_level""",
        {"low high": ((1, 2), (1, 3), (2, 3), (2, 4))},
    ),
    Family(
        "praised_or_clean", "medium",
        (
            "Which restaurants either scored {score} or more in an inspection during {year}, or got a five-star review "
            "in {year} from a guest who lives in {city}? One row a restaurant, id and name.",
            "I'm building a shortlist for {year}: inspection scores of at least {score}, plus places to which somebody "
            "from {city} gave 5 stars that year. Id and name, each restaurant once.",
        ),
        """SELECT r.restaurant_id, r.name FROM restaurant r JOIN inspection i ON i.restaurant_id = r.restaurant_id
        WHERE i.score >= {score} AND strftime('%Y', i.inspected) = {year}
        UNION
        SELECT r.restaurant_id, r.name FROM restaurant r JOIN review v ON v.restaurant_id = r.restaurant_id
        JOIN guest g ON g.guest_id = v.guest_id JOIN city c ON c.city_id = g.home_city_id
        WHERE c.name = {city} AND v.rating = 5 AND strftime('%Y', v.visited) = {year}""",
        {"score": (90, 95), "year": _YEARS, "city": ("Old Tarn", "Selkie Bay", "Wheatley", "Kestrel Hill")},
        "The year of a review is that of the visit. A guest lives in guest.home_city_id.", 4,
    ),
    Family(
        "last_known_score", "medium",
        (
            "What did the most recent inspection of each restaurant on price level {level} find? Show id, date and "
            "score, but only where that score is below {score}.",
            "For places of price level {level} whose latest inspection came out under {score}: restaurant id, date and "
            "score of that inspection.",
        ),
        """SELECT r.restaurant_id, i.inspected, i.score
        FROM restaurant r JOIN inspection i ON i.restaurant_id = r.restaurant_id
        WHERE r.price_level = {level} AND i.score < {score} AND i.inspected = (
            SELECT MAX(j.inspected) FROM inspection j WHERE j.restaurant_id = r.restaurant_id
        )""",
        {"level": (1, 2, 3), "score": (75, 80, 85, 90)}, count=4,
    ),
    Family(
        "seats_a_place", "easy",
        (
            "What is the mean number of seats per restaurant in each city of the {region} region if a take-away "
            "without seats counts as zero, and what is it among those with seats alone? City and both means to one "
            "decimal.",
            "Seats in the {region}: by city, the average over all restaurants (no seats = zero) and the average over "
            "restaurants that have seats, each rounded to one decimal.",
        ),
        """SELECT c.name, ROUND(AVG(COALESCE(r.seats, 0)), 1) AS over_all, ROUND(AVG(r.seats), 1) AS with_seats
        FROM city AS c INNER JOIN restaurant AS r USING (city_id)
        WHERE c.region = {region}
        GROUP BY c.name""",
        {"region": _REGIONS}, "restaurant.seats is NULL for a take-away without seats. Closed restaurants count too.",
    ),
    Family(
        "same_price_pairs", "hard",
        (
            "Find pairs of dishes of one restaurant that cost the same, {low} or more, although they belong to "
            "different courses. Show restaurant id, the alphabetically earlier dish, the other dish, and the price.",
            "Which two dishes of the same restaurant have the same price, at least {low}, but not the same course? "
            "Each pair once, with the dish that comes first in the alphabet in front: restaurant id, dish, dish, "
            "price.",
        ),
        """SELECT a.restaurant_id, a.name AS dish, b.name AS other_dish, a.price
        FROM dish a
        JOIN dish b ON b.restaurant_id = a.restaurant_id AND b.price = a.price AND b.course <> a.course
            AND b.name > a.name
        WHERE a.price >= {low}""",
        {"low": (6, 7, 8, 9)}, count=4,
    ),
    Family(
        "widest_travelled", "medium",
        (
            "Who are the {top} guests that have reviewed the most different {cuisine} restaurants? Name and number, "
            "most first, equal numbers in alphabetical order of the name, cut after {top} rows.",
            "List the top {top} fans of {cuisine} food by how many distinct {cuisine} restaurants they reviewed, "
            "highest number first and ties broken by name from A to Z. Name and number.",
        ),
        """SELECT g.name, COUNT(DISTINCT v.restaurant_id) AS places
        FROM guest g JOIN review v ON v.guest_id = g.guest_id JOIN restaurant r ON r.restaurant_id = v.restaurant_id
        WHERE r.cuisine = {cuisine}
        GROUP BY g.guest_id, g.name ORDER BY places DESC, g.name LIMIT {top}""",
        {"cuisine": _CUISINES, "top": (3, 5, 6)}, count=4,
    ),
    Family(
        "dear_cities", "hard",
        (
            "In which cities did guests spend more per visit in {year} than the overall mean of that year? Reviews "
            "without a stated spend are ignored. City, number of visits with a spend, and their mean, 2 decimals.",
            "Take all visits of {year} with a known spend. Which cities have a mean spend above the mean of them all? "
            "Give city, how many of these visits it had, and its mean rounded to 2 decimals.",
        ),
        """WITH visits AS (
            SELECT c.name AS city, v.spend
            FROM review v JOIN restaurant r ON r.restaurant_id = v.restaurant_id JOIN city c ON c.city_id = r.city_id
            WHERE v.visited LIKE '{year:raw}%' AND v.spend IS NOT NULL
        )
        SELECT city, COUNT(*) AS visits, ROUND(AVG(spend), 2) AS mean_spend
        FROM visits
        GROUP BY city HAVING AVG(spend) > (SELECT AVG(spend) FROM visits)""",
        {"year": _YEARS}, "review.spend is NULL where the guest did not state it.",
    ),
    Family(
        "days_of_the_week", "medium",
        (
            "How many reviewed visits to restaurants in the {region} fell on each day of the week in {year}, and how "
            "many different guests made them? Number the days from 0 for Sunday to 6 for Saturday, sorted that way.",
            "Break the {year} reviews of places in the {region} region down by day of the week of the visit ('0' is "
            "Sunday, '6' is Saturday, in ascending order): day, visits, distinct guests.",
        ),
        """SELECT strftime('%w', v.visited) AS weekday, COUNT(*) AS visits, COUNT(DISTINCT v.guest_id) AS guests
        FROM review v, restaurant r, city c
        WHERE v.restaurant_id = r.restaurant_id AND r.city_id = c.city_id AND c.region = {region}
            AND v.visited >= '{year:raw}-01-01' AND v.visited <= '{year:raw}-12-31'
        GROUP BY strftime('%w', v.visited) ORDER BY weekday""",
        {"region": _REGIONS, "year": _YEARS},
        "The year runs from {year}-01-01 to {year}-12-31; the day of the week is a text of one digit.", 4,
    ),
    Family(
        "share_of_the_town", "hard",
        (
            "Among the restaurants still open, what share does each cuisine hold in its city, for the {region} region? "
            "City, cuisine, number, and per cent of the city's open restaurants rounded to one decimal.",
            "For each city of the {region} and each cuisine found there today: city, cuisine, open restaurants, and "
            "their percentage of all open restaurants of the city (one decimal).",
        ),
        """SELECT c.name, r.cuisine, COUNT(*) AS open_places,
            ROUND(100 * COUNT(*) / CAST(SUM(COUNT(*)) OVER (PARTITION BY c.city_id) AS REAL), 1) AS share
        FROM city c JOIN restaurant r ON r.city_id = c.city_id AND r.closed IS NULL
        WHERE c.region = {region}
        GROUP BY c.city_id, c.name, r.cuisine""",
        {"region": _REGIONS}, _CLOSED,
    ),
)  # fmt: skip
