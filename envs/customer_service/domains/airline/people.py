"""Names for the customers of Kittiwake Air and those who travel with them."""

from __future__ import annotations

from typing import Final

FIRST: Final = (
    "Agnes", "Albert", "Alina", "Andre", "Anna", "Anton", "Astrid", "Aurora", "Beatriz", "Bruno", "Camille", "Carlos",
    "Clara", "Daniel", "Dario", "Edith", "Elena", "Elias", "Emma", "Erik", "Eva", "Felix", "Filip", "Frida", "Gianna",
    "Greta", "Hanna", "Henrik", "Hugo", "Ida", "Irene", "Ivan", "Jakub", "Jana", "Jonas", "Julia", "Karin", "Katja",
    "Lars", "Laura", "Leon", "Lucia", "Magnus", "Marek", "Maria", "Marta", "Matteo", "Mila", "Nadia", "Nils", "Nora",
    "Olga", "Oscar", "Pablo", "Paula", "Petra", "Pierre", "Rafael", "Rosa", "Samuel", "Sara", "Simon", "Sofia",
    "Stefan", "Tereza", "Thomas", "Ursula", "Valentin", "Vera", "Viktor", "Wanda", "Yvonne",
)  # fmt: skip
LAST: Final = (
    "Andersson", "Bakker", "Bauer", "Beck", "Bergman", "Bianchi", "Blanchard", "Brandt", "Castillo", "Conti", "Dahl",
    "Delgado", "Dubois", "Eriksen", "Esposito", "Fischer", "Fontaine", "Gallo", "Garnier", "Haas", "Hansen", "Herrera",
    "Hofmann", "Holm", "Horvat", "Ivarsson", "Jansen", "Jensen", "Kaiser", "Keller", "Kowalski", "Kovacs", "Krause",
    "Lambert", "Larsen", "Lefebvre", "Lindqvist", "Lombardi", "Lorenz", "Marchetti", "Martin", "Mertens", "Moreau",
    "Navarro", "Nielsen", "Novak", "Olsen", "Ortega", "Peeters", "Pereira", "Petrov", "Richter", "Rinaldi", "Romero",
    "Rossi", "Sandberg", "Schneider", "Serrano", "Sorensen", "Svoboda", "Torres", "Vidal", "Visser", "Vogel", "Weber",
    "Winkler", "Wolff", "Zimmer",
)  # fmt: skip
PROVIDERS: Final = ("inbox.example", "letterbox.example", "mail.example", "post.example")
