"""wildlife: tagged animals of ten nature reserves, the rangers who see them again, and what they weigh then.

6 tables, some 1,600 rows. Worth minding: animals without nickname, known sex or mother, animals that died, rangers of
the mobile team who belong to no reserve, mentors and mothers as references of a table to itself, sightings without a
weight.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.wildlife_rows import SCHEMA, fill

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "wildlife"
_RESERVES = (
    "Blackwater Fen", "Cedar Ridge", "Dunlin Marsh", "Gannet Cliffs", "Heron Delta", "Larkspur Plain",
    "Pinewood Hollow", "Windmoor",
)  # fmt: skip
_CLASSES = ("mammal", "bird", "reptile", "amphibian")
_BIOMES = ("wetland", "forest", "coast", "grassland")
_YEARS = ("2021", "2022", "2023")
_ALIVE = "animal.died is NULL while an animal lives."
_MOBILE = "Rangers of the mobile team belong to no reserve: their ranger.reserve_id is NULL."
_WEIGHT = "sighting.weight_kg is NULL where the animal was not weighed."

FAMILIES: Final = (
    Family(
        "lost_weight", "hard",
        (
            "Which animals in {reserve} weighed less at their last weighing than at their first? Animal id, first "
            "weight, last weight.",
            "Compare the first and the latest known weight of every animal of {reserve} and list those that lost "
            "weight: id, first kg, last kg.",
        ),
        """WITH ends AS (
            SELECT DISTINCT a.animal_id,
                FIRST_VALUE(s.weight_kg) OVER (PARTITION BY a.animal_id ORDER BY s.seen_on) AS first_kg,
                FIRST_VALUE(s.weight_kg) OVER (PARTITION BY a.animal_id ORDER BY s.seen_on DESC) AS last_kg
            FROM sighting s JOIN animal a ON a.animal_id = s.animal_id JOIN reserve r ON r.reserve_id = a.reserve_id
            WHERE r.name = {reserve} AND s.weight_kg IS NOT NULL
        )
        SELECT animal_id, first_kg, last_kg FROM ends WHERE last_kg < first_kg""",
        {"reserve": _RESERVES}, _WEIGHT, 4,
    ),
    Family(
        "below_target", "hard",
        (
            "Of which {class} species are there fewer living animals in a reserve than the target set for it there? "
            "Reserve, species, target and living animals, none counting as 0.",
            "Check the targets for {class}s: show reserve, species, target and the number of animals alive there (0 if "
            "there are none) wherever that number is short of the target.",
        ),
        """SELECT r.name AS reserve, k.name AS species, h.target, COUNT(a.animal_id) AS living
        FROM habitat h JOIN reserve r ON r.reserve_id = h.reserve_id JOIN species k ON k.species_id = h.species_id
        LEFT JOIN animal a ON a.reserve_id = h.reserve_id AND a.species_id = h.species_id AND a.died IS NULL
        WHERE k.class = {class}
        GROUP BY h.reserve_id, h.species_id, r.name, k.name, h.target HAVING COUNT(a.animal_id) < h.target""",
        {"class": _CLASSES}, f"habitat.target is NULL where no target is set. {_ALIVE}", 4,
    ),
    Family(
        "out_of_sight", "hard",
        (
            "Which animals in {reserve} once went more than {days} days between two sightings in a row? Animal id and "
            "its longest gap in days.",
            "Per animal of {reserve}, find the longest stretch of days from one sighting to the next, and list id and "
            "days where it exceeds {days}.",
        ),
        """SELECT animal_id, MAX(gap) AS longest_gap
        FROM (
            SELECT s.animal_id,
                julianday(s.seen_on) - julianday(LAG(s.seen_on) OVER (PARTITION BY animal_id ORDER BY s.seen_on)) AS gap
            FROM sighting s
            WHERE s.animal_id IN (
                SELECT a.animal_id FROM animal a JOIN reserve r USING (reserve_id) WHERE r.name = {reserve})
        ) AS gaps
        GROUP BY animal_id HAVING MAX(gap) > {days}""",
        {"reserve": _RESERVES, "days": (300, 365, 400, 500)}, count=4,
    ),
    Family(
        "never_seen_again", "medium",
        (
            "How many living animals tagged before {day} have not been seen again even once, by reserve? Reserve and "
            "number; reserves without such animals are left out.",
            "For each reserve that has any: count the animals still alive, tagged before {day}, for which there is no "
            "sighting at all. Reserve name and count.",
        ),
        """SELECT r.name, COUNT(*) AS unseen
        FROM animal a JOIN reserve r ON r.reserve_id = a.reserve_id
        LEFT JOIN sighting s ON s.animal_id = a.animal_id
        WHERE a.died IS NULL AND a.tagged < {day} AND s.sighting_id IS NULL
        GROUP BY r.name""",
        {"day": ("2022-01-01", "2022-04-01", "2022-08-01", "2023-01-01")}, _ALIVE,
    ),
    Family(
        "far_and_wide", "medium",
        (
            "Which rangers with a reserve of their own have reported {class}s of at least {least} different reserves "
            "in {year}? Name, number of reserves, number of sightings.",
            "List the rangers stationed in a reserve whose {class} sightings of {year} concern animals of {least} or "
            "more reserves: name, how many reserves, how many {class} sightings.",
        ),
        """SELECT g.name, COUNT(DISTINCT a.reserve_id) AS reserves, COUNT(*) AS sightings
        FROM ranger g JOIN sighting s ON s.ranger_id = g.ranger_id
        JOIN animal a ON a.animal_id = s.animal_id JOIN species k ON k.species_id = a.species_id
        WHERE g.reserve_id IS NOT NULL AND k.class = {class} AND strftime('%Y', s.seen_on) = {year}
        GROUP BY g.ranger_id, g.name HAVING COUNT(DISTINCT a.reserve_id) >= {least}""",
        {"class": ("mammal", "bird"), "least": (2, 3), "year": _YEARS}, _MOBILE, 4,
    ),
    Family(
        "busier_than_mentor", "hard",
        (
            "Which rangers reported more sightings in {year} than their mentor did in that year? Ranger, own number, "
            "mentor, the mentor's number. Leave out pairs in which either reported none.",
            "For {year}, compare every ranger with his or her mentor by number of sightings, provided that both have "
            "some, and return ranger, number, mentor, mentor's number where the ranger has more.",
        ),
        """WITH counts AS (
            SELECT ranger_id, COUNT(*) AS sightings FROM sighting
            WHERE strftime('%Y', seen_on) = {year} GROUP BY ranger_id
        )
        SELECT g.name AS ranger, x.sightings, m.name AS mentor, y.sightings AS mentor_sightings
        FROM ranger g JOIN ranger m ON m.ranger_id = g.mentor_id
        JOIN counts x ON x.ranger_id = g.ranger_id JOIN counts y ON y.ranger_id = m.ranger_id
        WHERE x.sightings > y.sightings""",
        {"year": _YEARS},
    ),
    Family(
        "grandmothers", "medium",
        (
            "For which animals in {biome} reserves do we know the mother's mother? Animal id, its nickname or "
            "'(none)', id of the grandmother, the grandmother's nickname or '(none)'.",
            "List animals of {biome} reserves together with their maternal grandmother where she is on record: id, "
            "nickname, grandmother's id, grandmother's nickname; write '(none)' for a missing nickname.",
        ),
        """SELECT a.animal_id, COALESCE(a.nickname, '(none)') AS nickname, g.animal_id AS grandmother_id,
            COALESCE(g.nickname, '(none)') AS grandmother
        FROM animal a JOIN animal m ON m.animal_id = a.mother_id JOIN animal g ON g.animal_id = m.mother_id
        JOIN reserve r ON r.reserve_id = a.reserve_id
        WHERE r.biome = {biome}""",
        {"biome": _BIOMES}, "animal.nickname is NULL where an animal has none.",
    ),
    Family(
        "good_and_bad", "easy",
        (
            "For the {biome} reserves in {year}: how many sightings were of animals in good health (4 or 5), and how "
            "many of animals in poor health (1 or 2)? Reserve, good, poor.",
            "By reserve of the {biome} kind, count the {year} sightings with health 4 or more and those with health 2 "
            "or less. Columns: reserve, good, poor.",
        ),
        """SELECT r.name, SUM(s.health >= 4) AS good, SUM(s.health <= 2) AS poor
        FROM reserve r JOIN animal a ON a.reserve_id = r.reserve_id JOIN sighting s ON s.animal_id = a.animal_id
        WHERE r.biome = {biome} AND s.seen_on BETWEEN '{year:raw}-01-01' AND '{year:raw}-12-31'
        GROUP BY r.reserve_id, r.name""",
        {"biome": _BIOMES, "year": _YEARS},
        "sighting.health goes from 1 (worst) to 5 (best). The year is {year}-01-01 to {year}-12-31.", 4,
    ),
    Family(
        "listed_but_missing", "medium",
        (
            "Which species are listed as at home in a {biome} reserve in which no animal of theirs was ever tagged? "
            "Reserve and species.",
            "Find the species that stand in the list of a {biome} reserve but of which no tagged animal, alive or "
            "dead, is on record there: reserve name, species name.",
        ),
        """SELECT r.name AS reserve, k.name AS species
        FROM (SELECT reserve_id, species_id FROM habitat EXCEPT SELECT reserve_id, species_id FROM animal) AS missing
        JOIN reserve r ON r.reserve_id = missing.reserve_id JOIN species k ON k.species_id = missing.species_id
        WHERE r.biome = {biome}""",
        {"biome": _BIOMES}, "The lists of species are the table habitat.",
    ),
    Family(
        "months_of_the_class", "medium",
        (
            "In which months are {class}s seen? For each month of the year, all years together and in order: the month "
            "as '01' to '12', sightings, and their share of all {class} sightings in per cent, one decimal.",
            "Spread the sightings of {class}s over the months '01' to '12' in ascending order, whatever the year: "
            "month, number, percentage of the total to one decimal.",
        ),
        """SELECT strftime('%m', s.seen_on) AS month, COUNT(*) AS sightings,
            ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS share
        FROM sighting s JOIN animal a ON a.animal_id = s.animal_id JOIN species k ON k.species_id = a.species_id
        WHERE k.class = {class}
        GROUP BY strftime('%m', s.seen_on) ORDER BY month""",
        {"class": _CLASSES},
    ),
    Family(
        "first_of_the_year", "medium",
        (
            "What was the first sighting of the species {species} in each year? Year, date, animal id, ranger; if "
            "there were several on that day take the one with the lowest sighting id.",
            "Year by year, give me the earliest {species} sighting (lowest sighting id among those of the same day): "
            "year, date, animal, name of the ranger.",
        ),
        """SELECT year, seen_on, animal_id, ranger
        FROM (
            SELECT strftime('%Y', s.seen_on) AS year, s.seen_on, s.animal_id, g.name AS ranger,
                ROW_NUMBER() OVER (PARTITION BY strftime('%Y', s.seen_on) ORDER BY s.seen_on, s.sighting_id) AS place
            FROM sighting s JOIN animal a ON a.animal_id = s.animal_id JOIN ranger g ON g.ranger_id = s.ranger_id
            WHERE a.species_id = (SELECT species_id FROM species WHERE name = {species})
        ) AS numbered
        WHERE place = 1""",
        {"species": ("red deer", "lynx", "otter", "badger", "wild boar", "osprey", "eagle owl", "bittern", "adder")},
        count=4,
    ),
    Family(
        "females_per_male", "medium",
        (
            "How many females are there per male among the living animals of each species that is found in {reserve}? "
            "Species, females, males, and females divided by males to 2 decimals (NULL without males).",
            "Sex ratio of the living animals in {reserve}: species, number of females, number of males, females per "
            "male rounded to 2 decimals, NULL where there is no male. Animals of unknown sex count as neither.",
        ),
        """SELECT k.name,
            COUNT(CASE WHEN a.sex = 'F' THEN 1 END) AS females, COUNT(CASE WHEN a.sex = 'M' THEN 1 END) AS males,
            ROUND(CAST(SUM(a.sex = 'F') AS REAL) / NULLIF(SUM(a.sex = 'M'), 0), 2) AS ratio
        FROM animal a JOIN species k ON k.species_id = a.species_id JOIN reserve r ON r.reserve_id = a.reserve_id
        WHERE r.name = {reserve} AND a.died IS NULL
        GROUP BY k.name""",
        {"reserve": _RESERVES},
        f"animal.sex is 'F' or 'M', NULL where it is unknown. {_ALIVE} Without males the count is 0.", 4,
    ),
    Family(
        "short_lives", "medium",
        (
            "Which animals died within {days} days of being tagged, that many days included? Animal id, species, "
            "reserve and days from tag to death, fewest days first, then by id.",
            "List the animals that lived at most {days} days after they were tagged, ordered from the fewest days and "
            "then by animal id: id, species name, reserve name, days.",
        ),
        """SELECT a.animal_id, k.name AS species, r.name AS reserve, julianday(a.died) - julianday(a.tagged) AS days
        FROM animal a JOIN species k USING (species_id) JOIN reserve r USING (reserve_id)
        WHERE julianday(a.died) - julianday(a.tagged) <= {days}
        ORDER BY days, a.animal_id""",
        {"days": (365, 400, 500, 600, 700)}, _ALIVE,
    ),
    Family(
        "worse_than_usual", "hard",
        (
            "Which living animals of {reserve} were in worse health at their last sighting than on average over all "
            "their sightings? Animal id, last health, mean health to 2 decimals.",
            "Find animals of {reserve}, dead ones excepted, whose latest health score lies below the mean of all their "
            "scores: id, latest score, mean rounded to 2 decimals.",
        ),
        """WITH scored AS (
            SELECT s.animal_id, s.health, AVG(s.health) OVER (PARTITION BY s.animal_id) AS usual,
                ROW_NUMBER() OVER (PARTITION BY s.animal_id ORDER BY s.seen_on DESC) AS place
            FROM sighting s JOIN animal a ON a.animal_id = s.animal_id JOIN reserve r ON r.reserve_id = a.reserve_id
            WHERE r.name = {reserve} AND a.died IS NULL
        )
        SELECT animal_id, health, ROUND(usual, 2) AS usual FROM scored WHERE place = 1 AND health < usual""",
        {"reserve": _RESERVES}, f"{_ALIVE} Health is sighting.health, from 1 (worst) to 5.", 4,
    ),
    Family(
        "density", "medium",
        (
            "Rank the reserves founded in {year} or later by living animals per 100 square kilometres: reserve, "
            "animals per 100 km2 rounded to a whole number, and the rank by that rounded number, the densest being "
            "first (equal numbers share a rank, and the next one follows on without a gap).",
            "How dense is the population? For reserves founded since {year} (included): name, living animals per 100 "
            "km2 rounded to a whole number, and the dense rank of that number from the highest down.",
        ),
        """SELECT name, density, DENSE_RANK() OVER (ORDER BY density DESC) AS place
        FROM (
            SELECT r.name, ROUND(100.0 * COUNT(*) / r.area_km2) AS density
            FROM reserve r JOIN animal a ON a.reserve_id = r.reserve_id
            WHERE a.died IS NULL AND r.founded >= {year} GROUP BY r.reserve_id, r.name, r.area_km2
        ) AS densities""",
        {"year": (1960, 1970, 1980)}, f"{_ALIVE} reserve.founded is a year.",
    ),
    Family(
        "by_status", "easy",
        (
            "How many species and how many tagged animals are there per protection status in {biome} reserves? Status "
            "(write 'not assessed' where there is none), species, animals.",
            "Break the animals tagged in {biome} reserves down by the status of their species, 'not assessed' if it "
            "has none: status, distinct species, animals.",
        ),
        """SELECT COALESCE(k.status, 'not assessed') AS status,
            COUNT(DISTINCT species_id) AS species, COUNT(*) AS tagged
        FROM animal JOIN species k USING (species_id) JOIN reserve r USING (reserve_id)
        WHERE r.biome = {biome}
        GROUP BY COALESCE(k.status, 'not assessed')""",
        {"biome": _BIOMES}, "species.status is NULL where a species has not been assessed.", 4,
    ),
    Family(
        "who_was_there", "medium",
        (
            "Who should be thanked for {reserve} in {year}: the rangers stationed there, as 'stationed', and every "
            "other ranger who reported a sighting of one of its animals in that year, as 'visiting'? Name and that "
            "word.",
            "For {reserve}, give me its own rangers ('stationed') and all others who saw one of its animals in {year} "
            "('visiting'), nobody twice: name and which of the two.",
        ),
        """SELECT g.name, 'stationed' AS part FROM ranger g JOIN reserve r ON r.reserve_id = g.reserve_id
        WHERE r.name = {reserve}
        UNION
        SELECT g.name, 'visiting' FROM sighting s JOIN ranger g ON g.ranger_id = s.ranger_id
        JOIN animal a ON a.animal_id = s.animal_id JOIN reserve r ON r.reserve_id = a.reserve_id
        WHERE r.name = {reserve} AND strftime('%Y', s.seen_on) = {year}
            AND (g.reserve_id IS NULL OR g.reserve_id <> a.reserve_id)""",
        {"reserve": _RESERVES, "year": _YEARS}, _MOBILE, 4,
    ),
    Family(
        "heaviest_of_each", "hard",
        (
            "Which {top} animals of each {class} species hold the greatest weights ever recorded? Species, animal id "
            "and the animal's own maximum in kilograms; of equal weights the lower animal id comes first.",
            "Take each animal's greatest recorded weight and show, per {class} species, the {top} animals with the "
            "highest ones (the lower animal id goes first where they are equal): species, animal id, kg.",
        ),
        """WITH best AS (
            SELECT k.name AS species, a.animal_id, MAX(s.weight_kg) AS kg
            FROM sighting s JOIN animal a ON a.animal_id = s.animal_id JOIN species k ON k.species_id = a.species_id
            WHERE k.class = {class} AND s.weight_kg IS NOT NULL GROUP BY k.name, a.animal_id
        )
        SELECT species, animal_id, kg FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY species ORDER BY kg DESC, animal_id) AS place FROM best
        ) AS placed WHERE place <= {top}""",
        {"class": _CLASSES, "top": (2, 3)}, _WEIGHT, 4,
    ),
    Family(
        "smoothed_counts", "hard",
        (
            "Smooth the sightings in {reserve} of the year {year}: for each month that has any, in order, give the "
            "month as 'YYYY-MM', its number, and the mean over it and the up to two months listed before it, one "
            "decimal.",
            "Monthly sightings in {reserve} during the year {year} with a moving average: month ('YYYY-MM', ascending, "
            "only months with sightings), count, mean of this and the two preceding listed months to one decimal.",
        ),
        """SELECT month, sightings,
            ROUND(AVG(sightings) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), 1) AS smoothed
        FROM (
            SELECT strftime('%Y-%m', s.seen_on) AS month, COUNT(*) AS sightings
            FROM sighting s JOIN animal a ON a.animal_id = s.animal_id JOIN reserve r ON r.reserve_id = a.reserve_id
            WHERE r.name = {reserve} AND strftime('%Y', s.seen_on) = {year} GROUP BY month
        ) AS monthly
        ORDER BY month""",
        {"reserve": _RESERVES, "year": ("2022", "2023")}, count=4,
    ),
    Family(
        "popular_names", "easy",
        (
            "Which nicknames are borne by living animals in at least {least} different reserves? Nickname, number of "
            "reserves, number of animals.",
            "List the nicknames that occur among the living animals of {least} or more reserves, with the number of "
            "reserves and of animals.",
        ),
        """SELECT nickname, COUNT(DISTINCT reserve_id) AS reserves, COUNT(*) AS animals
        FROM animal WHERE died IS NULL AND nickname IS NOT NULL
        GROUP BY nickname HAVING COUNT(DISTINCT reserve_id) >= {least}""",
        {"least": (4, 5, 6, 7)}, f"{_ALIVE} Animals without a nickname have NULL there.",
    ),
    Family(
        "seen_by_all", "hard",
        (
            "Which animals of {reserve} have been seen by every single ranger stationed there? Animal ids.",
            "Give the ids of the animals in {reserve} that none of the rangers stationed there has missed: each of "
            "them has reported at least one sighting of the animal.",
        ),
        """SELECT a.animal_id FROM animal a JOIN reserve r ON r.reserve_id = a.reserve_id
        WHERE r.name = {reserve} AND NOT EXISTS (
            SELECT * FROM ranger g WHERE g.reserve_id = r.reserve_id AND NOT EXISTS (
                SELECT * FROM sighting s WHERE s.ranger_id = g.ranger_id AND s.animal_id = a.animal_id
            )
        )""",
        {"reserve": _RESERVES}, count=4,
    ),
    Family(
        "mothers", "easy",
        (
            "Which {class}s are the mother of at least {least} animals on record, and how many of these young are "
            "still alive? Mother's id, species, young, living young.",
            "List every {class} that has {least} or more recorded young: id, species, number of young, number of young "
            "still living.",
        ),
        """SELECT m.animal_id, k.name, COUNT(*) AS young, COUNT(*) - COUNT(c.died) AS living
        FROM animal m JOIN animal c ON c.mother_id = m.animal_id JOIN species k ON k.species_id = m.species_id
        WHERE k.class = {class}
        GROUP BY m.animal_id, k.name HAVING COUNT(*) >= {least}""",
        {"class": ("mammal", "bird", "reptile"), "least": (2, 3)}, _ALIVE,
    ),
    Family(
        "on_their_own", "easy",
        (
            "Which rangers who joined before {day} have no mentor, or no reserve of their own? Name and the day they "
            "joined, earliest first and by name within a day.",
            "Sorted by the day they joined, earliest first, then by name, list name and day of the rangers with us "
            "since before {day} who lack a mentor or a fixed reserve or both.",
        ),
        """SELECT name, since FROM ranger
        WHERE since < {day} AND (mentor_id IS NULL OR reserve_id IS NULL)
        ORDER BY since, name""",
        {"day": ("2012-01-01", "2014-01-01", "2016-01-01", "2018-01-01")},
        f"{_MOBILE} ranger.mentor_id is NULL without a mentor.",
    ),
)  # fmt: skip
