"""Names and places that customers are drawn from; all people and streets are invented."""

from __future__ import annotations

from typing import Final

_FIRST = """
Ada Agnes Alma Amir Anneke Arlo Asha Basil Beatrix Benedek Bram Bridie Callum Carys Cedric Chidi Clara Cosima
Dara Dilys Edmund Efua Eira Elif Elspeth Emrys Esme Ewan Farah Fergus Flora Frieda Gideon Greta Hamza Hattie
Hugo Ida Imran Ines Iris Ivo Jasper Jemima Jonas Kavya Keir Lachlan Leila Linnea Lorcan Lucian Mabel Maeve
Malik Marit Maud Milo Moira Nadia Nico Nell Niamh Odette Olwen Omar Oscar Otis Pearl Petra Priya Quentin Rafe
Rhys Rosalind Rufus Saskia Seren Silas Soren Tamsin Tariq Thea Tobias Una Viola Wilf Winifred Yusuf Zadie
"""
_LAST = """
Abara Adeyemi Aldous Ashdown Barrow Bekele Bellweather Birdsall Blakeney Bowyer Brandt Calloway Carrow
Castell Chaudhry Copeland Cresswell Dalgleish Darrow Devlin Drummond Eastwick Ellery Ellory Fairlie Farrow
Fenwick Garrick Gaunt Gilroy Haddow Hallam Haverty Hollis Holliss Ibarra Iqbal Jessop Kaplan Keating Keatinge
Kestrel Langley Larkin Larkins Lindqvist Lockhart Macrae Marchetti Marlow Marlowe Mistry Mowbray Nakata
Nightingale Norrell Okafor Oram Orme Pargeter Pascoe Pemberton Petrov Quayle Quill Ransome Redfern Rooke
Sandoval Sayers Selwyn Shapland Silva Stanhope Tamura Tolliver Thorne Thorn Treloar Underhill Vasquez Venn
Wainwright Wetherby Whitlock Yarrow Zielinski
"""
_STREETS = """
Alder Row, Barley Lane, Beacon Street, Bobbin Court, Cobbler's Yard, Copper Street, Dovecote Lane,
Ferry Road, Foundry Street, Gannet Close, Harbour Lane, Hawthorn Avenue, Heron Walk, Hopfield Road,
Juniper Terrace, Kiln Street, Lantern Hill, Lime Grove, Linden Crescent, Mill Lane, Minnow Place,
Orchard Way, Osier Road, Quarry Bank, Rope Walk, Sallow Lane, Saltmarsh Road, School Hill, Shuttle Street,
Station Road, Tanner's Row, Thistle Gardens, Viaduct Street, Weaver's Green, Willow Bank, Windmill Road
"""
_TOWNS = """
Bath BA, Bristol BS, Cambridge CB, Cardiff CF, Carlisle CA, Chester CH, Derby DE, Dundee DD, Durham DH,
Exeter EX, Hull HU, Inverness IV, Ipswich IP, Lancaster LA, Leeds LS, Lincoln LN, Norwich NR, Oxford OX,
Plymouth PL, Preston PR, Sheffield S, Swansea SA, Truro TR, York YO
"""

FIRST: Final = tuple(_FIRST.split())
LAST: Final = tuple(_LAST.split())
STREETS: Final = tuple(name.strip() for name in _STREETS.split(","))
TOWNS: Final = tuple(name.strip() for name in _TOWNS.split(","))
"""Town and the area that its postcodes begin with."""
MAILBOXES: Final = ("postlane.example", "quickmail.example", "home.example", "letterbox.example")
CARRIERS: Final = ("Swiftwing", "Harefoot Parcels", "Overland Post")
