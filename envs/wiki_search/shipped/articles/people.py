"""Articles on people."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, lacks, more, said, several, single

PERSON: Final = Wording(
    subjects=("the {occupation}", "this {occupation}"),
    pronoun="",
    leads=(
        "~({born|year}–{died|year}) was {nationality|an} {occupation}",
        "~was {nationality|an} {occupation} who lived from {born|year} to {died|year}",
        "~, {nationality|an} {occupation}, was born in {born|year}",
        "~, born in {born|year}, was {nationality|an} {occupation}",
        "~was {nationality|an} {occupation} and died in {died|year}",
        "~was {nationality|an} {occupation}",
        "~is remembered as {nationality|an} {occupation}",
        "~({born|year}–{died|year}) was {occupation|an}",
        "~is remembered as {occupation|an}",
        "~was {occupation|an} who was born in {born|year} and died in {died|year}",
        "~worked as {occupation|an}",
    ),
    blocks=(
        (
            said(
                "~was born in {born|year}",
                "the year of birth is {born|year}",
                "~came into the world in {born|year}",
                "{born|year} is recorded as the year of birth",
                "the life of {S} began in {born|year}",
                "{born|year} is the year in which {S} was born",
            ),
            said(
                "~died in {died|year}",
                "the year of death is {died|year}",
                "~lived until {died|year}",
                "death came in {died|year}",
                "{died|year} is recorded as the year of death",
                "the life of {S} ended in {died|year}",
            ),
            said(
                "~lived {years_lived} years or one less",
                "between the two dates lie {years_lived} years",
                "the span of this life covers {years_lived} years",
                "from birth to death there are {years_lived} years on the calendar",
                "the year of death is {years_lived} years after that of birth",
                "~saw at most {years_lived} birthdays",
            ),
            said(
                "~belongs to the history of {country}",
                "reference works file {S} under {country}",
                "the country connected with {S} is {country}",
                "~is counted among the figures of {country}",
                "{country} is the country with which {S} is associated",
                "~is associated with {country}",
                "in a list by country {S} stands under {country}",
            ),
            said(
                "~was born in what the source calls {born_in}",
                "the country of birth is given as {born_in}",
                "{born_in} is named as the country of birth",
                "the source names {born_in} as the land of birth",
                "~came from {born_in}",
            ),
            said(
                "WordNet, the source, classes {S} as {nationality}",
                "~is described as {nationality}",
                "the adjective given for {S} is {nationality}",
                "~is called {nationality} in the source",
                "by nationality the source has {S} as {nationality}",
            ),
            said(
                "the fields of activity were those of {occupation|list}",
                "~is listed as {occupation|list}",
                "more than one occupation is recorded: {occupation|list}",
                "~combined several callings, those of {occupation|list}",
                "the occupations given are {occupation|list}",
                when=several("occupation"),
            ),
            said(
                "the occupation given is {occupation}",
                "WordNet lists {name} under {occupation}",
                "one occupation is recorded, that of {occupation}",
                "the calling was that of {occupation}",
                when=single("occupation"),
            ),
        ),
        (
            said(
                "~discovered {discovered|list}",
                "the discovery of {discovered|list} is credited to {S}",
                "~is named as a discoverer of {discovered|list}",
            ),
            said(
                "~gave the name to {gave_name_to|list}",
                "{gave_name_to|list} was named after {S}",
            ),
            said(
                "{born_same_year|list} had the same year of birth",
                "in {born|year} {born_same_year|list} came into the world, too",
                "~shares the year of birth with {born_same_year|list}",
                "others born in {born|year} include {born_same_year|list}",
                "of the same age were {born_same_year|list}",
                "the year {born|year} also saw the birth of {born_same_year|list}",
            ),
            said(
                "{died_same_year|list} died in the same year",
                "the year of death is also that of {died_same_year|list}",
                "~died in the same year as {died_same_year|list}",
                "the year {died|year} also brought the death of {died_same_year|list}",
                "deaths of the year {died|year} include {died_same_year|list}",
                "~shares the year of death with {died_same_year|list}",
            ),
            said(
                "by birth {S} comes right after {born_after} and right before {born_before}",
                "in the order of birth the neighbours are {born_after} and {born_before}",
                "next before in the order of births stands {born_after}, next after {born_before}",
                "sorted by year of birth, {S} stands between {born_after} and {born_before}",
                "~follows {born_after} and precedes {born_before} in a list by year of birth",
                "a list by year of birth puts {S} between {born_after} and {born_before}",
            ),
            said(
                "of the people of the same country in these pages {born_after_in_country} was born next before and "
                "{born_before_in_country} next after",
                "among compatriots {S} comes between {born_after_in_country} and {born_before_in_country} by year of "
                "birth",
                "the compatriot born next before is {born_after_in_country}, the one born next after "
                "{born_before_in_country}",
                "~is preceded by {born_after_in_country} and followed by {born_before_in_country} in a list of "
                "compatriots "
                "by birth",
                "a list of people from the same country by birth puts {born_after_in_country} before and "
                "{born_before_in_country} after {S}",
                "two compatriots frame this entry by year of birth, {born_after_in_country} before and "
                "{born_before_in_country} after",
            ),
            said(
                "these pages describe {same_trade_and_country} other people of the same calling and country",
                "~is one of those of that calling and country; {same_trade_and_country} others have pages here",
                "{same_trade_and_country} others with the same first occupation and country are listed",
                "besides {S} there are {same_trade_and_country} more entries for that occupation and country",
                "the same occupation and country are shared with {same_trade_and_country} other entries",
                when=more("same_trade_and_country"),
            ),
            said(
                "of the people of that country in these pages {S} was born first, before {born_before_in_country}",
                "no listed compatriot was born before {S}; the next is {born_before_in_country}",
                when=lacks("born_after_in_country"),
            ),
            said(
                "of the people of that country in these pages {S} was born last, after {born_after_in_country}",
                "no listed compatriot was born after {S}; the one before is {born_after_in_country}",
                when=lacks("born_before_in_country"),
            ),
            said("in the order of birth {S} follows {born_after}", when=lacks("born_before")),
            said("in the order of birth {S} precedes {born_before}", when=lacks("born_after")),
            said(
                "in the same country the {occupation} listed before is {earlier_of_the_trade}",
                "an earlier {occupation} of the same country is {earlier_of_the_trade}",
                "the preceding {occupation} from the same country is {earlier_of_the_trade}",
                "{earlier_of_the_trade} is the {occupation} of the same country who was born next before",
                "no listed {occupation} of that country comes between {S} and the earlier {earlier_of_the_trade}",
            ),
            said(
                "the next {occupation} of that country is {later_of_the_trade}",
                "a later {occupation} of the same country is {later_of_the_trade}",
                "among those of the same calling and country {later_of_the_trade} comes next",
                "{later_of_the_trade} is the {occupation} of that country who was born next",
                "the {occupation} who follows in that country is {later_of_the_trade}",
            ),
        ),
    ),
)
