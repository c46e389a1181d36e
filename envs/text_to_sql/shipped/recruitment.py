"""recruitment: openings of a company, candidates and their skills, applications and interviews of two years.

7 tables, some 2,500 rows. Worth minding: openings without an upper salary or not closed yet, candidates who share a
name or did not state their experience, interviews without a score as nobody came, several openings of one title.
"""

from __future__ import annotations

from typing import Final

from agentgym.envs.text_to_sql.shipped.families import Family
from agentgym.envs.text_to_sql.shipped.recruitment_rows import SCHEMA, fill

__all__ = ["FAMILIES", "NAME", "SCHEMA", "fill"]

NAME: Final = "recruitment"
_DEPARTMENTS = ("Engineering", "Finance", "Marketing", "Logistics", "Support")
_SITES = ("Norby", "Hafton", "Millrace")
_SOURCES = ("job board", "referral", "careers page", "agency", "fair")
_YEARS = ("2022", "2023")
_STAGES = "application.stage is 'screening', 'interview', 'offer', 'hired', 'rejected' or 'withdrawn'."
_NO_SHOW = "interview.score is NULL where the candidate did not come."
_TOP = "opening.salary_max is NULL where there is no upper limit."

FAMILIES: Final = (
    Family(
        "fully_qualified", "hard",
        (
            "Which applications for {department} openings come from candidates who have every required skill of the "
            "opening at the lowest level asked for, or better? Application id, opening id, candidate id.",
            "Match applicants and requirements in {department}: list application, opening and candidate id wherever "
            "the candidate masters all required skills of that opening at least at its minimum level.",
        ),
        """SELECT a.application_id, a.opening_id, a.candidate_id
        FROM application a JOIN opening o ON o.opening_id = a.opening_id
        JOIN opening_skill w ON w.opening_id = a.opening_id AND w.required = 1
        LEFT JOIN candidate_skill k
            ON k.candidate_id = a.candidate_id AND k.skill_id = w.skill_id AND k.level >= w.min_level
        WHERE o.department = {department}
        GROUP BY a.application_id, a.opening_id, a.candidate_id HAVING COUNT(k.skill_id) = COUNT(*)""",
        {"department": _DEPARTMENTS},
        "opening_skill.required is 1 for required skills and 0 for those that are merely welcome.", 4,
    ),
    Family(
        "asking_too_much", "medium",
        (
            "By department, how many applications received in {year} state a salary expectation, and what percentage "
            "of these exceeds the opening's upper salary? Without an upper limit nothing exceeds it. One decimal.",
            "Salary expectations of the {year} applications: department, number of applications that state one, per "
            "cent of those above the maximum of their opening (never, where it has none), rounded to one decimal.",
        ),
        """SELECT o.department, COUNT(expected_salary) AS stated,
            ROUND(100.0 * COUNT(CASE WHEN a.expected_salary > o.salary_max THEN 1 END)
                / COUNT(expected_salary), 1) AS share
        FROM application a JOIN opening o ON o.opening_id = a.opening_id
        WHERE strftime('%Y', a.applied) = {year}
        GROUP BY o.department""",
        {"year": _YEARS}, f"application.expected_salary is NULL where none is stated. {_TOP}", 2,
    ),
    Family(
        "days_to_hire", "medium",
        (
            "How long does hiring take? Per department with at least {least} people hired on openings posted in "
            "{year}: hires, mean days from the posting to the decision (one decimal), and the fastest case in days.",
            "For openings posted in {year} and departments with {least} or more hires on them, show department, number "
            "of hires, average and smallest number of days between posting and decision; average to one decimal.",
        ),
        """SELECT o.department, COUNT(*) AS hires,
            ROUND(AVG(julianday(a.decided) - julianday(o.posted)), 1) AS mean_days,
            MIN(julianday(a.decided) - julianday(o.posted)) AS fastest
        FROM opening o INNER JOIN application a ON a.opening_id = o.opening_id
        WHERE a.stage = 'hired' AND o.posted BETWEEN '{year:raw}-01-01' AND '{year:raw}-12-31'
        GROUP BY o.department HAVING COUNT(*) >= {least}""",
        {"year": _YEARS, "least": (2, 3, 4)}, _STAGES + " The year is {year}-01-01 to {year}-12-31.",
    ),
    Family(
        "funnel", "hard",
        (
            "Draw the funnel by source for the site {site}: applications, applications with at least one interview, "
            "and hires, for every source with any application there.",
            "For each source of candidates, count the applications at {site}, those of them that led to an interview "
            "(once each), and those that ended with a hire.",
        ),
        """SELECT c.source, COUNT(DISTINCT a.application_id) AS applications,
            COUNT(DISTINCT i.application_id) AS interviewed,
            COUNT(DISTINCT CASE WHEN a.stage = 'hired' THEN a.application_id END) AS hires
        FROM application a JOIN candidate c USING (candidate_id) JOIN opening o USING (opening_id)
        LEFT JOIN interview i ON i.application_id = a.application_id
        WHERE o.site = {site}
        GROUP BY c.source""",
        {"site": ("Norby", "Hafton", "Millrace", "Eastvale")}, _STAGES,
    ),
    Family(
        "strict_interviewers", "medium",
        (
            "Who is strict in {format} interviews? Interviewers whose mean score there lies below the mean of all "
            "{format} interviews: name, number of scored interviews, mean score to 2 decimals.",
            "Compare each interviewer's average score in {format} interviews with the overall average of that format "
            "and list those below it, with the number of scores given and their average rounded to 2 decimals.",
        ),
        """SELECT interviewer, COUNT(score) AS scored, ROUND(AVG(score), 2) AS mean_score
        FROM interview WHERE format = {format}
        GROUP BY interviewer HAVING AVG(score) < (SELECT AVG(score) FROM interview WHERE format = {format})""",
        {"format": ("phone", "video", "on site")}, _NO_SHOW,
    ),
    Family(
        "better_second_time", "hard",
        (
            "In which {department} applications did the second interview go better than the first? Application id, "
            "first score, second score; go by the dates, and leave out those where one of the two has no score.",
            "List the applications for {department} openings whose second interview (by date) was scored higher than "
            "the first one: application id, score of the first, score of the second.",
        ),
        """WITH numbered AS (
            SELECT i.application_id, i.score, ROW_NUMBER() OVER (PARTITION BY i.application_id ORDER BY i.held) AS turn
            FROM interview i
            WHERE i.application_id IN (
                SELECT a.application_id FROM application a JOIN opening o USING (opening_id)
                WHERE o.department = {department}
            )
        )
        SELECT x.application_id, x.score AS first_score, y.score AS second_score
        FROM numbered x JOIN numbered y ON y.application_id = x.application_id
        WHERE x.turn = 1 AND y.turn = 2 AND y.score > x.score""",
        {"department": _DEPARTMENTS}, _NO_SHOW, 4,
    ),
    Family(
        "never_invited", "medium",
        (
            "Which candidates from {city} have applied for {least} or more openings without ever being invited to an "
            "interview? Candidate id, name, applications.",
            "Find {city} candidates with at least {least} applications and not one interview among them all: id, name, "
            "number of applications.",
        ),
        """SELECT c.candidate_id, c.name, COUNT(*) AS applications
        FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        WHERE c.city = {city} AND c.candidate_id NOT IN (
            SELECT b.candidate_id FROM application b JOIN interview i ON i.application_id = b.application_id
        )
        GROUP BY c.candidate_id, c.name HAVING COUNT(*) >= {least}""",
        {"city": ("Norby", "Hafton", "Millrace", "Eastvale", "Brackwater"), "least": (2, 3, 4)}, count=4,
    ),
    Family(
        "one_site_only", "medium",
        (
            "Which candidates from {city} applied to {site} in {year} but have never applied to {other}, in any year? "
            "Candidate id and name.",
            "Give id and name of the {city} candidates with an application for {site} made in {year}, leaving out "
            "everybody who ever applied for an opening at {other}.",
        ),
        """SELECT c.candidate_id, c.name FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        JOIN opening o ON o.opening_id = a.opening_id
        WHERE c.city = {city} AND o.site = {site} AND strftime('%Y', a.applied) = {year}
        EXCEPT
        SELECT c.candidate_id, c.name FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        JOIN opening o ON o.opening_id = a.opening_id WHERE o.site = {other}""",
        {
            "city": ("Norby", "Hafton", "Millrace"),
            "site other": (("Norby", "Eastvale"), ("Norby", "Millrace"), ("Hafton", "Eastvale")),
            "year": _YEARS,
        },
        "A candidate lives in candidate.city, which may bear the name of a site.", 4,
    ),
    Family(
        "rejected_elsewhere", "medium",
        (
            "Who was rejected by {department} but hired or offered a job by any department of ours? Candidate id and "
            "name.",
            "List id and name of candidates with a rejected application in {department} who also have an application, "
            "in whatever department, that reached an offer or a hire.",
        ),
        """SELECT c.candidate_id, c.name FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        JOIN opening o ON o.opening_id = a.opening_id WHERE o.department = {department} AND a.stage = 'rejected'
        INTERSECT
        SELECT c.candidate_id, c.name FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        WHERE a.stage IN ('offer', 'hired')""",
        {"department": _DEPARTMENTS}, _STAGES, 4,
    ),
    Family(
        "quick_applicants", "easy",
        (
            "What share of the applications at each site came within {days} days of the posting, that many days "
            "included? Look at {department} openings: site, applications, per cent to one decimal.",
            "For {department}, by site: how many applications were there, and what percentage arrived at most {days} "
            "days after the opening was posted (one decimal)?",
        ),
        """SELECT o.site, COUNT(*) AS applications,
            ROUND(AVG(CASE WHEN julianday(a.applied) - julianday(o.posted) <= {days} THEN 100.0 ELSE 0 END), 1) AS share
        FROM opening o JOIN application a USING (opening_id)
        WHERE o.department = {department}
        GROUP BY o.site""",
        {"department": _DEPARTMENTS, "days": (3, 7, 10, 14)},
        "No application arrives before the day of posting, which is day 0.", 4,
    ),
    Family(
        "gave_up_last", "medium",
        (
            "Which candidates who found us through {source} withdrew their most recent application? Candidate id, "
            "name, date of that application. If several share the latest date, any withdrawn one among them counts.",
            "List candidates from the source {source} whose latest application was withdrawn: id, name and when they "
            "applied. Latest means that the candidate has none of a later date.",
        ),
        """SELECT c.candidate_id, c.name, a.applied
        FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        WHERE c.source = {source} AND a.stage = 'withdrawn' AND NOT EXISTS (
            SELECT * FROM application b WHERE b.candidate_id = a.candidate_id AND b.applied > a.applied
        )""",
        {"source": _SOURCES}, _STAGES,
    ),
    Family(
        "best_by_interview", "hard",
        (
            "For every {department} opening at {site}, which candidates have the highest mean interview score? Ties "
            "all count, mean rounded to 2 decimals and compared that way. Opening id, title, candidate id, mean.",
            "Find the front-runner (or front-runners, if level) by average interview score for each opening of "
            "{department} at {site}. The average is rounded to 2 decimals before comparing. Show opening id, title, "
            "candidate id, average.",
        ),
        """SELECT opening_id, title, candidate_id, mean_score
        FROM (
            SELECT o.opening_id, o.title, a.candidate_id, ROUND(AVG(i.score), 2) AS mean_score,
                RANK() OVER (PARTITION BY o.opening_id ORDER BY ROUND(AVG(i.score), 2) DESC) AS place
            FROM opening o JOIN application a ON a.opening_id = o.opening_id
            JOIN interview i ON i.application_id = a.application_id
            WHERE o.department = {department} AND o.site = {site} AND i.score IS NOT NULL
            GROUP BY o.opening_id, o.title, a.candidate_id
        ) AS ranked
        WHERE place = 1""",
        {"department": ("Engineering", "Finance", "Marketing", "Logistics"), "site": _SITES},
        _NO_SHOW + " Openings without any score are left out.", 4,
    ),
    Family(
        "years_guessed", "easy",
        (
            "What is the mean experience of the candidates from each source if those who did not state theirs count as "
            "{years} years? Source, candidates, how many did not state it, mean to 2 decimals.",
            "By source: number of candidates, number of those with unknown experience, and mean years of experience "
            "with the unknown taken as {years} (2 decimals).",
        ),
        """SELECT source, COUNT(*) AS candidates, COUNT(*) - COUNT(experience) AS unknown,
            ROUND(AVG(COALESCE(experience, {years})), 2) AS mean_years
        FROM candidate GROUP BY source""",
        {"years": (2, 3, 4, 5)}, "candidate.experience is in years, NULL where it was not stated.",
    ),
    Family(
        "gone_quiet", "medium",
        (
            "Which openings that are not closed have received no application on {day} or later, or none at all? "
            "Opening id, title, date of the last application ('none' if there never was one).",
            "Find the openings still open that have gone quiet since {day} (included): id, title and the latest "
            "application date, or 'none' without any application.",
        ),
        """SELECT o.opening_id, o.title, COALESCE(MAX(a.applied), 'none') AS last_applied
        FROM opening o LEFT JOIN application a ON a.opening_id = o.opening_id
        WHERE o.closed IS NULL
        GROUP BY o.opening_id, o.title HAVING MAX(a.applied) IS NULL OR MAX(a.applied) < {day}""",
        {"day": ("2023-04-01", "2023-05-01", "2023-06-01", "2023-07-01", "2023-08-01")},
        "opening.closed is NULL while an opening is open.",
    ),
    Family(
        "pareto_of_titles", "hard",
        (
            "Sort the titles of {department} by number of applications, most first and level ones by title, and add "
            "the share of all {department} applications reached up to and including each title. Title, number, "
            "cumulative per cent to one decimal.",
            "I need a Pareto table of the applications to {department}: title, applications, running percentage of the "
            "total (one decimal), in order of the number from the highest down, then by title.",
        ),
        """SELECT o.title, COUNT(*) AS applications,
            ROUND(100.0 * SUM(COUNT(*)) OVER (ORDER BY COUNT(*) DESC, o.title) / SUM(COUNT(*)) OVER (), 1) AS reached
        FROM opening o JOIN application a ON a.opening_id = o.opening_id
        WHERE o.department = {department}
        GROUP BY o.title ORDER BY applications DESC, o.title""",
        {"department": ("Engineering", "Finance", "Marketing", "Logistics")},
    ),
    Family(
        "applied_again_soon", "hard",
        (
            "Which candidates followed an application of {year} with their next one at most {days} days later? "
            "Candidate ids, each once. Applications of one day follow each other by id.",
            "List, without repeats, the ids of candidates who after an application made in {year} applied again within "
            "{days} days. Where two applications bear the same date, the lower id comes first.",
        ),
        """SELECT DISTINCT candidate_id
        FROM (
            SELECT candidate_id, applied,
                LEAD(applied) OVER (PARTITION BY candidate_id ORDER BY applied, application_id) AS following
            FROM application
        ) AS pairs
        WHERE julianday(following) - julianday(applied) <= {days} AND strftime('%Y', applied) = {year}""",
        {"year": _YEARS, "days": (1, 2, 3, 5)}, "The next application may fall into the following year.",
    ),
    Family(
        "salary_bands", "medium",
        (
            "Group the openings at {site} by the lower end of the salary into 'below {low}', '{low} to {high}' (both "
            "included) and 'above {high}'. For each group: openings, how many have no upper limit, and how many "
            "applications came in.",
            "Salary bands at {site}: 'below {low}', '{low} to {high}' with both ends, 'above {high}', by minimum "
            "salary. Give band, number of openings, openings without an upper limit, applications received.",
        ),
        """SELECT CASE WHEN o.salary_min < {low} THEN 'below {low:raw}'
                WHEN o.salary_min <= {high} THEN '{low:raw} to {high:raw}' ELSE 'above {high:raw}' END AS band,
            COUNT(*) AS openings, SUM(o.salary_max IS NULL) AS unlimited, SUM(n.applications) AS applications
        FROM opening o JOIN (
            SELECT p.opening_id, COUNT(a.application_id) AS applications
            FROM opening p LEFT JOIN application a ON a.opening_id = p.opening_id GROUP BY p.opening_id
        ) AS n ON n.opening_id = o.opening_id
        WHERE o.site = {site}
        GROUP BY band""",
        {"site": _SITES, "low high": ((34000, 44000), (36000, 44000), (38000, 46000))}, _TOP,
    ),
    Family(
        "same_job_better_paid", "medium",
        (
            "Where is the same title offered at two sites with different minimum salaries? For {department} list "
            "title, the opening and site with the lower minimum, the opening and site with the higher one, and the "
            "difference.",
            "Compare {department} openings of equal title at different sites: title, id and site of the one with the "
            "lower minimum salary, id and site of the one with the higher, and by how much it is higher.",
        ),
        """SELECT a.title, a.opening_id AS low_id, a.site AS low_site, b.opening_id AS high_id, b.site AS high_site,
            b.salary_min - a.salary_min AS difference
        FROM opening a JOIN opening b ON b.title = a.title AND b.site <> a.site AND b.salary_min > a.salary_min
        WHERE a.department = {department}""",
        {"department": ("Marketing", "Logistics", "Support")},
    ),
    Family(
        "more_than_needed", "hard",
        (
            "Which candidates have applied for at least {least} openings that require a skill which they have {above} "
            "or more levels above the minimum? Candidate id, name, number of such openings.",
            "Look for overqualified applicants: for {least} or more of the openings they applied for, some required "
            "skill is one in which their level exceeds the minimum by at least {above}. Candidate id, name, number of "
            "openings.",
        ),
        """SELECT c.candidate_id, c.name, COUNT(DISTINCT a.opening_id) AS openings
        FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        JOIN opening_skill w ON w.opening_id = a.opening_id
        JOIN candidate_skill k ON k.candidate_id = c.candidate_id AND k.skill_id = w.skill_id
        WHERE w.required = 1 AND k.level >= w.min_level + {above}
        GROUP BY c.candidate_id, c.name HAVING COUNT(DISTINCT a.opening_id) >= {least}""",
        {"above": (1, 2), "least": (4, 5, 6)}, "opening_skill.required is 1 for required skills, otherwise 0.",
    ),
    Family(
        "missed_interviews", "easy",
        (
            "How often did candidates not turn up for {format} interviews in {year}? For each interviewer with any: "
            "interviews planned, number missed, per cent missed to one decimal.",
            "By interviewer, for the {format} interviews of {year}: how many there were, how many of them the "
            "candidate missed, and that as a percentage with one decimal.",
        ),
        """SELECT interviewer, COUNT(*) AS planned, SUM(score IS NULL) AS missed,
            ROUND(100 * AVG(score IS NULL), 1) AS share
        FROM interview WHERE format = {format} AND strftime('%Y', held) = {year}
        GROUP BY interviewer""",
        {"format": ("phone", "video", "on site"), "year": _YEARS}, _NO_SHOW,
    ),
    Family(
        "repeated_titles", "easy",
        (
            "Which titles were posted more than once at {site}, how often, and how many of these postings are not "
            "closed yet? Title, postings, open ones.",
            "For {site}, list every title with at least two openings: title, number of openings, number still open.",
        ),
        """SELECT title, COUNT(*) AS postings, COUNT(*) - COUNT(closed) AS still_open
        FROM opening WHERE site = {site} GROUP BY title HAVING COUNT(*) > 1""",
        {"site": _SITES}, "opening.closed is NULL while an opening is open; more than 1 posting is at least two.",
    ),
    Family(
        "interviews_or_offers", "medium",
        (
            "Which candidates living in {city} either had a score of {score} or more in some interview or have more "
            "than {years} years of experience and a pending application? Candidate id and name, each candidate once.",
            "Shortlist for {city}: candidates with at least one interview score of {score} or higher, plus those with "
            "over {years} years of experience who have an application not decided yet. Id and name, nobody twice.",
        ),
        """SELECT c.candidate_id, c.name FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        WHERE c.city = {city} AND a.application_id IN (SELECT application_id FROM interview WHERE score >= {score})
        UNION
        SELECT c.candidate_id, c.name FROM candidate c JOIN application a ON a.candidate_id = c.candidate_id
        WHERE c.city = {city} AND c.experience > {years} AND a.decided IS NULL""",
        {"city": ("Norby", "Hafton", "Millrace"), "score": (8, 9), "years": (8, 10, 12)},
        "application.decided is NULL while an application is pending. Unknown experience does not count.",
    ),
    Family(
        "above_own_site", "easy",
        (
            "Which openings posted since {day} (included) offer a higher minimum salary than the average opening of "
            "their own site? Opening id, title, site, minimum salary.",
            "List openings posted on {day} or later whose minimum salary beats the mean minimum of all openings at the "
            "same site, older ones included: id, title, site and minimum salary.",
        ),
        """SELECT o.opening_id, o.title, o.site, o.salary_min FROM opening o
        WHERE o.posted >= {day} AND o.salary_min > (SELECT AVG(p.salary_min) FROM opening p WHERE p.site = o.site)""",
        {"day": ("2022-10-01", "2023-01-01", "2023-04-01", "2023-06-01", "2023-08-01")},
    ),
)  # fmt: skip
