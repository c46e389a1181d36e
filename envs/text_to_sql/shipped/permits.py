"""The building office of a town: parcels, applications for permits and inspections on site; 3 tables.

Worth minding: dates are text as the office writes them ('DD.MM.YYYY') and do not sort as they stand, applications may
amend earlier ones, some are undecided or have no clerk, some visits came to no result, some parcels were not surveyed.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.permits_rows import (
    CLERKS,
    DISTRICTS,
    INSPECTORS,
    KINDS,
    SCHEMA,
    STAGES,
    ZONES,
    fill,
)

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "permits"
DATE: Final = (
    "Dates are text 'DD.MM.YYYY'; substr(d, 7, 4) || '-' || substr(d, 4, 2) || '-' || substr(d, 1, 2) is date d as "
    "'YYYY-MM-DD'."
)
YEAR: Final = "Dates are text 'DD.MM.YYYY' and end in the year."
OPEN: Final = "decided and outcome are NULL until a permit is decided; outcome is 'granted', 'refused' or 'withdrawn'."
CLERK: Final = "clerk is NULL where none was noted."
RESULT: Final = "result is 'pass', 'fail' or NULL for no result."
DISTRICT: Final = {"district": DISTRICTS}
ZONE: Final = {"zone": ZONES}
KIND: Final = {"kind": tuple(KINDS)}
YEARS: Final = {"year": ("2021", "2022", "2023")}

FAMILIES: Final = (
    Family(
        "protected_parcels", "easy",
        (
            "Which protected parcels in the {zone} zone measure {area} square metres or more? Number and area, the "
            "largest first, equal ones by number.",
            "List number and area of the listed {zone} parcels with at least {area} square metres, sorted from large "
            "to small, then by number.",
        ),
        "SELECT parcel_no, area_m2 FROM parcel WHERE zone = {zone} AND protected = 1 AND area_m2 >= {area} ORDER BY "
        "area_m2 DESC, parcel_no",
        {**ZONE, "area": (800, 900)},
        "protected is 1 for listed parcels, otherwise 0; area_m2 is NULL where not surveyed.",
    ),
    Family(
        "monthly_filings", "easy",
        (
            "How did the {kind} applications filed in {year} come in? Month as two digits, number filed, and how many "
            "of them have been decided by now, in order of months.",
            "For the {kind} applications of {year}, show per month of filing (two digits) how many there were and how "
            "many are decided, sorted by month.",
        ),
        "SELECT substr(filed, 4, 2) AS month, COUNT(*) AS filed, COUNT(decided) AS settled FROM permit WHERE kind = "
        "{kind} AND filed LIKE '%{year:raw}' GROUP BY month ORDER BY month",
        {**KIND, "year": ("2022", "2023")},
        f"{YEAR} substr(filed, 4, 2) is the month; months without filings are left out. {OPEN}",
    ),
    Family(
        "clerk_speed", "hard",
        (
            "How long do {kind} applications take? Per clerk: number of decisions, mean days from filing to decision "
            "to 1 decimal, and the most days.",
            "By clerk, count the decided {kind} applications and give average (1 decimal) and maximum of the days "
            "between filing and decision.",
        ),
        "WITH dated AS (SELECT clerk, julianday(substr(decided, 7, 4) || '-' || substr(decided, 4, 2) || '-' || "
        "substr(decided, 1, 2)) - julianday(substr(filed, 7, 4) || '-' || substr(filed, 4, 2) || '-' || substr(filed, "
        "1, 2)) AS days FROM permit WHERE kind = {kind} AND decided IS NOT NULL) SELECT clerk, COUNT(*) AS decisions, "
        "ROUND(AVG(days), 1) AS mean, MAX(days) AS longest FROM dated WHERE clerk IS NOT NULL GROUP BY clerk",
        KIND, f"{DATE} {CLERK} Leave those out.",
    ),
    Family(
        "waiting_longest", "medium",
        (
            "Which {k} undecided applications in the {zone} zone were filed first? Permit number and filing date as "
            "written, oldest first; those of one day by number.",
            "Show the {k} oldest open applications on {zone} parcels: number and date filed (as stored), ordered by "
            "date, then number.",
        ),
        "SELECT p.permit_no, p.filed FROM permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE p.decided IS "
        "NULL AND c.zone = {zone} ORDER BY substr(p.filed, 7, 4) || '-' || substr(p.filed, 4, 2) || '-' || "
        "substr(p.filed, 1, 2), p.permit_no LIMIT {k}",
        {**ZONE, "k": (5, 7)}, f"{DATE} {OPEN}",
    ),
    Family(
        "dearer_amendments", "medium",
        (
            "Which amendments in {district} cost more than the application they amend? Their number and the difference "
            "in fee.",
            "Compare each amending application in {district} with the one it amends and list those with the higher "
            "fee: number and how much higher.",
        ),
        "SELECT a.permit_no, a.fee - o.fee AS more FROM permit AS a JOIN permit AS o ON o.permit_no = a.amends JOIN "
        "parcel AS c ON c.parcel_no = a.parcel_no WHERE c.district = {district} AND a.fee > o.fee",
        DISTRICT, "amends is the number of the application that is amended, NULL for a first application.",
    ),
    Family(
        "amendment_depth", "hard",
        (
            "Start from all first applications of kind {kind}, depth 0; what amends one lies one deeper, and so on, "
            "whatever its kind. How many applications are at each depth? Depth and number, in order of depth.",
            "Count applications by depth, sorted by depth: 0 for first applications of kind {kind}, 1 for what amends "
            "those, 2 for what amends that, of any kind, until nothing is left.",
        ),
        "WITH RECURSIVE step (permit_no, depth) AS (SELECT permit_no, 0 FROM permit WHERE amends IS NULL AND kind = "
        "{kind} UNION ALL SELECT p.permit_no, s.depth + 1 FROM permit AS p JOIN step AS s ON s.permit_no = p.amends) "
        "SELECT depth, COUNT(*) AS permits FROM step GROUP BY depth ORDER BY depth",
        KIND, "amends is the number of the application that is amended, NULL for a first application.",
    ),
    Family(
        "last_visit_failed", "hard",
        (
            "Where in {district} did the most recent inspection of a permit end in a fail? Permit number and "
            "inspector.",
            "For permits in {district}, look only at the latest visit of each: list those that failed, with the "
            "inspector.",
        ),
        "SELECT permit_no, inspector FROM (SELECT i.permit_no, i.inspector, i.result, ROW_NUMBER() OVER (PARTITION BY "
        "i.permit_no ORDER BY substr(i.visited, 7, 4) || '-' || substr(i.visited, 4, 2) || '-' || substr(i.visited, 1, "
        "2) DESC) AS back FROM inspection AS i JOIN permit AS p ON p.permit_no = i.permit_no JOIN parcel AS c ON "
        "c.parcel_no = p.parcel_no WHERE c.district = {district}) WHERE back = 1 AND result = 'fail'",
        DISTRICT, f"{DATE} A permit is never visited twice on one day. {RESULT}",
    ),
    Family(
        "failed_again", "hard",
        (
            "How often did {kind} permits fail an inspection right after failing the one before? Count such visits per "
            "inspector of the second visit.",
            "For each inspector, count the visits to {kind} permits that failed when the previous visit to the same "
            "permit had failed too. Leave out inspectors without any.",
        ),
        "SELECT inspector, COUNT(*) AS times FROM (SELECT i.inspector, i.result, LAG(i.result) OVER (PARTITION BY "
        "i.permit_no ORDER BY substr(i.visited, 7, 4) || '-' || substr(i.visited, 4, 2) || '-' || substr(i.visited, 1, "
        "2)) AS before FROM inspection AS i JOIN permit AS p ON p.permit_no = i.permit_no WHERE p.kind = {kind}) WHERE "
        "result = 'fail' AND before = 'fail' GROUP BY inspector",
        KIND, f"{DATE} A permit is never visited twice on one day. {RESULT}",
    ),
    Family(
        "survey_gaps", "easy",
        (
            "How complete is the survey of {a} and {b} together? Per zone: number of parcels, how many were never "
            "surveyed, mean area of the others to 1 decimal.",
            "Taking {a} and {b} as one area, show for each zone the parcels, those without a surveyed area, and the "
            "average area where known (1 decimal).",
        ),
        "SELECT zone, COUNT(*) AS parcels, COUNT(*) - COUNT(area_m2) AS unsurveyed, ROUND(AVG(area_m2), 1) AS mean "
        "FROM parcel WHERE district IN ({a}, {b}) GROUP BY zone",
        {"a b": tuple(zip(DISTRICTS, DISTRICTS[2:] + DISTRICTS[:2], strict=True))},
        "area_m2 is NULL where a parcel was not surveyed.",
    ),
    Family(
        "never_visited", "medium",
        (
            "Which granted {kind} permits have never been inspected? Permit number and parcel.",
            "Find every {kind} permit that was granted and has had no visit at all; give permit and parcel numbers.",
        ),
        "SELECT p.permit_no, p.parcel_no FROM permit AS p LEFT JOIN inspection AS i ON i.permit_no = p.permit_no WHERE "
        "i.inspection_id IS NULL AND p.outcome = 'granted' AND p.kind = {kind}",
        KIND, OPEN,
    ),
    Family(
        "never_refused", "medium",
        (
            "On which {zone} parcels was an application of kind {kind} granted and nothing of any kind ever refused? "
            "Parcel numbers, each once.",
            "List the parcels in the {zone} zone, without repeats, that got a permit of kind {kind} and never saw a "
            "refusal for anything.",
        ),
        "SELECT c.parcel_no FROM parcel AS c JOIN permit AS p ON p.parcel_no = c.parcel_no WHERE c.zone = {zone} AND "
        "p.kind = {kind} AND p.outcome = 'granted' EXCEPT SELECT parcel_no FROM permit WHERE outcome = 'refused'",
        {**ZONE, **KIND}, OPEN, 4,
    ),
    Family(
        "to_be_reviewed", "medium",
        (
            "Draw up the review list of {district}: every protected parcel, and every parcel with an application for "
            "{kind}. Parcel numbers without repeats.",
            "Which parcels of {district} are protected or had a {kind} applied for (or both)? Each number once.",
        ),
        "SELECT parcel_no FROM parcel WHERE district = {district} AND protected = 1 UNION SELECT p.parcel_no FROM "
        "permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE c.district = {district} AND p.kind = {kind}",
        {**DISTRICT, "kind": ("demolition", "new house")}, "protected is 1 for protected parcels, otherwise 0.",
    ),
    Family(
        "refusal_rates", "medium",
        (
            "Who refuses most? For applications filed in {year}, give each clerk's refusals as a percentage of the "
            "decided ones to 1 decimal.",
            "By clerk, what per cent of the decided applications filed in {year} was refused? Round to one decimal.",
        ),
        "SELECT clerk, ROUND(100.0 * SUM(CASE WHEN outcome = 'refused' THEN 1 ELSE 0 END) / COUNT(outcome), 1) AS "
        "refused FROM permit WHERE clerk IS NOT NULL AND filed LIKE '%{year:raw}' GROUP BY clerk",
        YEARS, f"{YEAR} {OPEN} {CLERK} Applications without a clerk are left out.",
    ),
    Family(
        "dear_refusals", "hard",
        (
            "Which refused applications in {district} cost more than the average application of their kind? Number, "
            "kind and fee.",
            "List refused applications on {district} parcels whose fee exceeds the mean fee of all applications of the "
            "same kind, with number, kind and fee.",
        ),
        "SELECT p.permit_no, p.kind, p.fee FROM permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no JOIN (SELECT "
        "kind, AVG(fee) AS mean FROM permit GROUP BY kind) AS m ON m.kind = p.kind WHERE c.district = {district} AND "
        "p.outcome = 'refused' AND p.fee > m.mean",
        DISTRICT, OPEN,
    ),
    Family(
        "left_at_refusal", "medium",
        (
            "Which refusals signed by {clerk} were left at that, with nothing filed to amend them? Number and kind.",
            "List number and kind of every application refused by clerk {clerk} that no other application amends.",
        ),
        "SELECT permit_no, kind FROM permit WHERE clerk = {clerk} AND outcome = 'refused' AND permit_no NOT IN (SELECT "
        "amends FROM permit WHERE amends IS NOT NULL)",
        {"clerk": CLERKS}, f"amends is the number of the application that is amended, or NULL. {OPEN}",
    ),
    Family(
        "stuck_at_stage", "hard",
        (
            "Which permits in {district} failed the {stage} inspection at least once and have not passed it? Number "
            "and kind.",
            "In {district}, find permits with a failed and without a passed visit of stage {stage}; number and kind.",
        ),
        "SELECT p.permit_no, p.kind FROM permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE c.district = "
        "{district} AND EXISTS (SELECT 1 FROM inspection AS f WHERE f.permit_no = p.permit_no AND f.stage = {stage} "
        "AND f.result = 'fail') AND NOT EXISTS (SELECT 1 FROM inspection AS g WHERE g.permit_no = p.permit_no AND "
        "g.stage = {stage} AND g.result = 'pass')",
        {**DISTRICT, "stage": STAGES}, RESULT, 4,
    ),
    Family(
        "many_hands", "medium",
        (
            "Which permits in the {zone} zone were seen by {n} or more different inspectors? Permit, district, number "
            "of inspectors.",
            "List the permits on {zone} parcels that at least {n} different people inspected, with district and how "
            "many people.",
        ),
        "SELECT p.permit_no, c.district, COUNT(DISTINCT i.inspector) AS inspectors FROM inspection AS i JOIN permit AS "
        "p ON p.permit_no = i.permit_no JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE c.zone = {zone} GROUP BY "
        "p.permit_no, c.district HAVING COUNT(DISTINCT i.inspector) >= {n}",
        {**ZONE, "n": (4, 5)},
    ),
    Family(
        "stages_of_inspector", "medium",
        (
            "How did the visits of {inspector} in {year} turn out? Per stage: passes, fails, and visits without a "
            "result.",
            "Break down the {year} visits by inspector {inspector} into passed, failed and no result, stage by stage.",
        ),
        "SELECT stage, COUNT(*) FILTER (WHERE result = 'pass') AS passed, COUNT(*) FILTER (WHERE result = 'fail') AS "
        "failed, COUNT(*) - COUNT(result) AS unclear FROM inspection WHERE inspector = {inspector} AND visited LIKE "
        "'%{year:raw}' GROUP BY stage",
        {"inspector": INSPECTORS, "year": ("2022", "2023")}, f"{YEAR} {RESULT}",
    ),
    Family(
        "hours_on_site", "medium",
        (
            "How much time did inspectors spend on {zone} parcels from {a} to {b}? Inspector and minutes, both days "
            "included.",
            "Sum up the minutes per inspector for visits in the {zone} zone between {a} and {b}, first and last day "
            "included.",
        ),
        "SELECT i.inspector, SUM(i.minutes) AS minutes FROM inspection AS i JOIN permit AS p ON p.permit_no = "
        "i.permit_no JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE c.zone = {zone} AND substr(i.visited, 7, 4) "
        "|| '-' || substr(i.visited, 4, 2) || '-' || substr(i.visited, 1, 2) BETWEEN {a} AND {b} GROUP BY i.inspector",
        {**ZONE, "a b": (("2022-03-01", "2022-10-01"), ("2022-07-01", "2023-02-01"), ("2023-01-01", "2023-06-01"))},
        DATE,
    ),
    Family(
        "visits_per_kind", "hard",
        (
            "How many visits does a granted permit take? For those filed in {year}, per kind: the average to 2 "
            "decimals and the most, permits without a visit counted as 0.",
            "For each kind, give the mean (2 decimals) and the largest number of inspections per granted permit filed "
            "in {year}; unvisited permits count with 0.",
        ),
        "SELECT kind, ROUND(AVG(visits), 2) AS mean, MAX(visits) AS most FROM (SELECT p.permit_no, p.kind, "
        "COUNT(i.inspection_id) AS visits FROM permit AS p LEFT JOIN inspection AS i ON i.permit_no = p.permit_no "
        "WHERE p.outcome = 'granted' AND p.filed LIKE '%{year:raw}' GROUP BY p.permit_no, p.kind) GROUP BY kind",
        YEARS, f"{YEAR} {OPEN}",
    ),
    Family(
        "busier_than", "medium",
        (
            "Who has made more {stage} visits than {inspector}? Inspector and number of those visits.",
            "Compare everybody's number of visits of stage {stage} with that of {inspector}: list those above it with "
            "their numbers.",
        ),
        "SELECT inspector, COUNT(*) AS visits FROM inspection WHERE stage = {stage} GROUP BY inspector HAVING COUNT(*) "
        "> (SELECT COUNT(*) FROM inspection WHERE stage = {stage} AND inspector = {inspector})",
        {"stage": STAGES, "inspector": INSPECTORS},
    ),
    Family(
        "highest_fees", "hard",
        (
            "What are the {k} highest different fees for {kind} applications in each district, and which applications "
            "owed them? District, number, fee.",
            "In every district find the {kind} applications that cost one of the {k} highest distinct fees there; "
            "district, number, fee.",
        ),
        "SELECT district, permit_no, fee FROM (SELECT c.district, p.permit_no, p.fee, DENSE_RANK() OVER (PARTITION BY "
        "c.district ORDER BY p.fee DESC) AS place FROM permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE "
        "p.kind = {kind}) WHERE place <= {k}",
        {"kind": ("extension", "roof", "demolition", "fence"), "k": (2, 3)},
    ),
    Family(
        "open_by_kind", "easy",
        (
            "What is still undecided in {district}? Number of open applications per kind.",
            "Count the applications on parcels of {district} that await a decision, kind by kind.",
        ),
        "SELECT p.kind, COUNT(*) AS waiting FROM permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE "
        "c.district = {district} AND p.decided IS NULL GROUP BY p.kind",
        DISTRICT, OPEN,
    ),
    Family(
        "fees_within_district", "hard",
        (
            "What share of each district's fees for {year} comes from which kind of application on {zone} parcels? "
            "Only those parcels and applications filed that year count: district, kind, percentage to 1 decimal.",
            "Take applications filed in {year} on {zone} parcels. For each district and kind, which per cent of that "
            "district's fees is it, rounded to 1 decimal?",
        ),
        "SELECT c.district, p.kind, ROUND(100.0 * SUM(p.fee) / SUM(SUM(p.fee)) OVER (PARTITION BY c.district), 1) AS "
        "share FROM permit AS p JOIN parcel AS c ON c.parcel_no = p.parcel_no WHERE c.zone = {zone} AND p.filed LIKE "
        "'%{year:raw}' GROUP BY c.district, p.kind",
        {**ZONE, **YEARS}, YEAR,
    ),
    Family(
        "long_undecided", "easy",
        (
            "Which applications for {kind} from {year} have neither been decided nor given to a clerk? Number, parcel "
            "and date of filing.",
            "List number, parcel and filing date of {kind} applications filed in {year} that are open and have no "
            "clerk.",
        ),
        "SELECT permit_no, parcel_no, filed FROM permit WHERE kind = {kind} AND filed LIKE '%{year:raw}' AND decided "
        "IS NULL AND clerk IS NULL",
        {**KIND, "year": ("2022", "2023")}, f"{YEAR} {OPEN} {CLERK}",
    ),
)  # fmt: skip
