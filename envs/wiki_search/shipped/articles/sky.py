"""Articles on stars, constellations and Messier's objects."""

from typing import Final

from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, equals, lacks, more, said, several

STAR: Final = Wording(
    subjects=("the star", "this star"),
    pronoun="it",
    leads=(
        "~is a star in the constellation {constellation}",
        "~is {colour|an} star in {constellation}",
        "~is the name of a star in {constellation}",
        "~, a star of magnitude {magnitude}, belongs to the constellation {constellation}",
        "~is a star of {constellation}",
        "~is {colour|an} star of magnitude {magnitude}",
        "~is the proper name of the star HIP {hipparcos|year}",
        "~shines in the constellation {constellation}",
        "~is a named star in the constellation {constellation}",
    ),
    blocks=(
        (
            said(
                "its Bayer letter is {bayer}",
                "Bayer's designation uses the letter {bayer}",
                "~bears the Bayer letter {bayer}",
                "in Bayer's system it is {bayer}",
                "~is marked {bayer} on charts that follow Bayer",
            ),
            said(
                "its Flamsteed number is {flamsteed}",
                "Flamsteed numbered it {flamsteed}",
                "~has the Flamsteed number {flamsteed}",
                "in Flamsteed's catalogue it is number {flamsteed}",
            ),
            said(
                "the Hipparcos catalogue lists it as HIP {hipparcos|year}, the Henry Draper catalogue as HD "
                "{henry_draper}",
                "~is HIP {hipparcos|year} in the Hipparcos catalogue and HD {henry_draper} in the Henry Draper "
                "catalogue",
                "catalogue numbers are HIP {hipparcos|year} and HD {henry_draper}",
                "astronomers also know {S} as HIP {hipparcos|year} or HD {henry_draper}",
                "~has the numbers HIP {hipparcos|year} and HD {henry_draper}",
            ),
            said(
                "its apparent magnitude is {magnitude}",
                "~shines with an apparent magnitude of {magnitude}",
                "the apparent magnitude is {magnitude}",
                "seen from Earth it has magnitude {magnitude}",
                "~reaches magnitude {magnitude}",
            ),
            said(
                "with a colour index of {colour_index} it appears {colour}",
                "the colour index B-V is {colour_index}, which means {colour}",
                "~looks {colour}; its colour index is {colour_index}",
                "a colour index of {colour_index} makes it {colour|an} star",
                "its light is {colour}, with a colour index of {colour_index}",
            ),
            said(
                "its spectral class is {spectral_class}",
                "~belongs to the spectral class {spectral_class}",
                "the spectrum is of class {spectral_class}",
            ),
        ),
        (
            said(
                "~is found at a right ascension of {right_ascension_h} hours and a declination of {declination_deg} "
                "degrees",
                "right ascension {right_ascension_h} h and declination {declination_deg}° give its place",
                "the position is {right_ascension_h} h in right ascension and {declination_deg}° in declination",
                "~stands at {right_ascension_h} h, {declination_deg}° on the celestial sphere",
                "celestial charts have it at {right_ascension_h} h and {declination_deg}°",
            ),
            said(
                "~is the brightest named star of its constellation",
                "no named star of the constellation is brighter",
                "among the named stars of the constellation it is the brightest",
                "~leads the named stars of its constellation in brightness",
                when=equals("rank_in_constellation", 1),
            ),
            said(
                "~is the {rank_in_constellation|sup}brightest named star of its constellation",
                "in brightness it is {rank_in_constellation|nth} among the named stars of the constellation",
                "among the constellation's named stars it ranks {rank_in_constellation|nth} in brightness",
                "~takes place {rank_in_constellation} in its constellation when named stars are sorted by brightness",
                when=more("rank_in_constellation"),
            ),
            said(
                "within the constellation the next brighter named star is {next_brighter_in_constellation}",
                "~is outshone in its constellation by {next_brighter_in_constellation}, the next brighter named star",
                "{next_brighter_in_constellation} is the next brighter named star of the constellation",
                "among the constellation's named stars {next_brighter_in_constellation} is a little brighter",
            ),
            said(
                "the next fainter named star of the constellation is {next_fainter_in_constellation}",
                "~outshines {next_fainter_in_constellation}, the next fainter named star of the constellation",
                "in the same constellation {next_fainter_in_constellation} is the next fainter star with a name",
                "{next_fainter_in_constellation} follows as the next fainter named star of the constellation",
            ),
            said(
                "~lies in the constellation {constellation}",
                "the constellation is {constellation}",
                "~forms part of {constellation}",
                "observers look for it in {constellation}",
            ),
        ),
        (
            (
                said(
                    "the named star nearest to it in the sky is {nearest_star}, {nearest_star_deg} degrees away",
                    "~is {nearest_star_deg}° from {nearest_star}, the closest named star in the sky",
                    "in the sky {nearest_star} is its closest neighbour with a name, at {nearest_star_deg}°",
                    "no named star appears closer to it than {nearest_star}, {nearest_star_deg} degrees from it",
                    "{nearest_star}, {nearest_star_deg}° off, is the nearest star with a name",
                ),
                said(
                    "the second nearest is {second_nearest_star}, at {second_nearest_star_deg}°",
                    "{second_nearest_star}, {second_nearest_star_deg} degrees away, comes second",
                    "next in distance is {second_nearest_star}, at {second_nearest_star_deg} degrees",
                    "after that star, {second_nearest_star} is the closest, {second_nearest_star_deg}° off",
                ),
            ),
            said(
                "the closest of Messier's objects is {nearest_messier}, at {nearest_messier_deg}°",
                "{nearest_messier_deg} degrees away is {nearest_messier}, the nearest of Messier's objects",
                "~has {nearest_messier} as the nearest object of Messier's list, {nearest_messier_deg}° away",
                "of Messier's list {nearest_messier} appears nearest, {nearest_messier_deg} degrees from it",
            ),
            said(
                "among named stars {next_brighter} is the next brighter one and {next_fainter} the next fainter one",
                "~is a little fainter than {next_brighter} and a little brighter than {next_fainter}",
                "sorted by brightness, it stands between {next_brighter} and {next_fainter}",
                "in a list by brightness {S} follows {next_brighter} and precedes {next_fainter}",
                "{next_brighter} and {next_fainter} are its neighbours in a list of named stars by brightness",
            ),
            said("no named star is fainter; {next_brighter} is the next brighter one", when=lacks("next_fainter")),
            said(
                "among named stars only {next_fainter} comes close to it in brightness",
                when=lacks("next_brighter"),
            ),
        ),
    ),
)

MESSIER: Final = Wording(
    subjects=("the object", "this object"),
    pronoun="it",
    leads=(
        "~is {type|an} in the constellation {constellation}",
        "~is {type|an} that lies in {constellation}",
        "~, {type|an}, is number {messier_number} of Messier's list",
        "~is {type|an} of magnitude {magnitude}",
        "~is an object of Messier's list, {type|an} in {constellation}",
    ),
    blocks=(
        (
            said(
                "~is number {messier_number} of Messier's list",
                "Messier gave it the number {messier_number}",
                "its number in Messier's list is {messier_number}",
            ),
            said(
                "another catalogue calls it {catalogue_name}",
                "~is also known as {catalogue_name}",
                "a later catalogue has it as {catalogue_name}",
            ),
            said(
                "the constellation it belongs to is {constellation}",
                "~is found in {constellation}",
                "observers find it in {constellation}",
            ),
            said("by type it is {type|an}", "~is classed as {type|an}", "the type given is that of {type|an}"),
            said(
                "its magnitude is {magnitude}",
                "~has a magnitude of {magnitude}",
                "the brightness corresponds to magnitude {magnitude}",
            ),
            said(
                "in the sky it measures {size_arcmin} arcminutes",
                "~extends over {size_arcmin} arcminutes",
                "the apparent size is {size_arcmin} arcminutes",
            ),
        ),
        (
            said(
                "right ascension {right_ascension_h} h and declination {declination_deg}° give its place",
                "~is found at {right_ascension_h} h and {declination_deg}°",
                "the position is {right_ascension_h} hours in right ascension and {declination_deg} degrees in "
                "declination",
            ),
            said(
                "the nearest named star is {nearest_star}, {nearest_star_deg} degrees away, before "
                "{second_nearest_star}",
                "~lies {nearest_star_deg}° from {nearest_star}; the next named star is {second_nearest_star}",
                "two named stars, {nearest_star} at {nearest_star_deg}° and then {second_nearest_star}, point the way "
                "to {S}",
            ),
            said(
                "the closest other object of the list is {nearest_messier}, at {nearest_messier_deg}°",
                "{nearest_messier_deg} degrees away is {nearest_messier}, the nearest other object of the list",
                "~has {nearest_messier} as its nearest neighbour in the list, {nearest_messier_deg}° away",
            ),
            (
                said(
                    "the next brighter object of the list is {next_brighter}",
                    "~is a little fainter than {next_brighter}",
                    "{next_brighter} is the next in the list that is brighter",
                ),
                said(
                    "the next fainter one is {next_fainter}",
                    "~is a little brighter than {next_fainter}",
                    "{next_fainter} follows in order of brightness",
                ),
            ),
        ),
    ),
)

CONSTELLATION: Final = Wording(
    subjects=("the constellation",),
    pronoun="it",
    leads=(
        "~is one of the 88 constellations",
        "~is a constellation",
        "~is a constellation abbreviated {abbreviation}",
        "~, abbreviated {abbreviation}, is a constellation",
    ),
    blocks=(
        (
            said(
                "its name is rendered in English as {meaning}",
                "in English it is called {meaning}",
                "~is known in English as {meaning}",
                "the English name is {meaning}",
                when=lambda entity: (entity.one("meaning") or entity.facts[0]).value != entity.name,
            ),
            said(
                "its abbreviation is {abbreviation}", "~is abbreviated {abbreviation}", "charts mark it {abbreviation}"
            ),
            said(
                "star names use the genitive {genitive}",
                "the genitive is {genitive}",
                "designations of its stars end in {genitive}",
            ),
        ),
        (
            said(
                "~borders on {borders|list}",
                "its neighbours in the sky are {borders|list}",
                "around {S} lie {borders|list}",
                when=several("borders"),
            ),
            said(
                "altogether it touches {neighbours|word} other constellations",
                "the number of its neighbours is {neighbours}",
                "~has {neighbours|word} neighbours",
            ),
            said(
                "its centre is near {right_ascension_h} h and {declination_deg}°",
                "the middle of {S} is at {right_ascension_h} h in right ascension and {declination_deg}° in "
                "declination",
                "~is centred on {right_ascension_h} h, {declination_deg}°",
            ),
            said(
                "on the opposite side of the sky lies {opposite}",
                "{opposite} is opposite to it on the celestial sphere",
                "~has {opposite} on the opposite side of the sky",
            ),
        ),
        (
            (
                said(
                    "the brightest of its named stars is {brightest_star}",
                    "{brightest_star} is its brightest named star",
                    "~has {brightest_star} as its brightest named star",
                ),
                said(
                    "after it come {bright_star|list}",
                    "next in brightness are {bright_star|list}",
                    when=several("bright_star"),
                ),
            ),
            said(
                "{named_stars|word} stars of {S} have names and articles here",
                "~has {named_stars|word} named stars in these pages",
                when=more("named_stars"),
            ),
            said(
                "of Messier's objects it holds {messier_object|list}",
                "~contains {messier_object|list} from Messier's list",
                "observers of Messier's objects find {messier_object|list} there",
            ),
        ),
    ),
)
