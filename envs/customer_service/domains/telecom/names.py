"""Names of people and places, and of phones."""

# ruff: noqa: SIM905 - many names are easier to read as words than as a list of strings

from __future__ import annotations

from typing import Final

FIRST: Final = tuple(
    """Ada Agnes Alban Amira Anton Astrid Beatrix Benno Bruno Carla Cem Clara Dario Delia Edda Elias Emre Esme Fabian
    Farah Fergus Gita Greta Hamid Hanna Idris Ilse Imran Ines Ivo Jana Jonas Judith Kamil Karin Keiko Lars Leila Lorenz
    Lucia Magda Malik Mara Milan Nadia Nils Noor Olga Oskar Paula Petra Quentin Rafael Rosa Samir Selma Simon Tamar
    Theo Ursula Valentin Vera Viktor Wanda Yusuf Zora""".split()
)
LAST: Final = tuple(
    """Abbott Achterberg Almeida Anders Bakker Baranski Becker Bellini Birch Borg Brandt Castell Conti Dahl Demir Duarte
    Eklund Engel Fabre Falk Ferrer Fuchs Galli Gruber Haas Hallam Herrera Holm Ibsen Jansen Kaplan Keller Kovacs Kruse
    Lang Lindqvist Lorca Marek Mayr Meyer Moreau Nagy Novak Okafor Olsen Ozturk Palmer Pereira Quist Rahman Reuter Rossi
    Sandoval Schenk Silva Sommer Tanner Toth Ulrich Vance Varga Weiss Winter Yilmaz Zander Ziegler""".split()
)
AREAS: Final = tuple(
    """Aldermoor Ashby-Vale Barrowfen Birchholt Calderwick Cranstead Dunmere Eastholm Fallowdene Garsby Hollinford
    Inglebeck Kestrelby Larchmont Marwick Netherby Oakhythe Penfold Quarrydale Ravensey Stonebeck Thornley""".split()
)
STREETS: Final = tuple(
    """Mill Lane;Station Road;Orchard Street;Quay Street;Chapel Row;Linden Avenue;Market Square;Foundry Road;Castle
    Hill;Meadow Way;Harbour Road;Weaver Street""".replace("\n    ", " ").split(";")
)
MODELS: Final = ("Tern 4", "Tern 5", "Tern 5 Mini", "Kiva One", "Kiva Two", "Ostro S", "Ostro Fold", "Nimbo 11")
COUNTRIES: Final = {
    "europe": ("Portugal", "Greece", "Norway", "Italy", "Poland", "Croatia"),
    "world": ("Japan", "Canada", "Kenya", "Brazil", "Vietnam", "Mexico"),
}
"""Roaming zone → countries in which a customer may be; a plan for the world holds in both."""
