"""The shop's catalogue: products with their options; prices and stock are drawn by `rows`."""

from __future__ import annotations

from typing import Final, NamedTuple

COLOURS: Final = ("navy", "sage", "oat", "rust", "charcoal", "mustard", "plum", "ivory")
SIZES: Final = ("small", "medium", "large")
BEDS: Final = ("single", "double", "king-size")
WOODS: Final = ("oak", "walnut", "ash", "cherry")
METALS: Final = ("brass", "copper", "steel")
SETS: Final = ("set of two", "set of four", "set of six")
LENGTHS: Final = ("120 cm", "160 cm", "200 cm")
VOLUMES: Final = ("one litre", "two litre", "three litre")
SCENTS: Final = ("fig", "cedar", "lavender", "orange peel")
GLAZES: Final = ("matt white", "sea green", "speckled", "ink blue")

OPTIONS: Final = (COLOURS, SIZES, BEDS, WOODS, METALS, SETS, LENGTHS, VOLUMES, SCENTS, GLAZES)
"""Every value of every option, no value in two of them."""

NAMES: Final = {
    COLOURS: "colour",
    SIZES: "size",
    BEDS: "bed size",
    WOODS: "wood",
    METALS: "metal",
    SETS: "set",
    LENGTHS: "length",
    VOLUMES: "volume",
    SCENTS: "scent",
    GLAZES: "glaze",
}


class Product(NamedTuple):
    """A product: a name, a category, the price of its cheapest variant in cents, two options; final ones stay sold."""

    name: str
    category: str
    base: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    final: bool = False


PRODUCTS: Final = (
    Product("Linen Apron", "kitchen linen", 2450, COLOURS[:4], SIZES[:2]),
    Product("Quilted Oven Glove", "kitchen linen", 1320, COLOURS[2:6], SETS[:2]),
    Product("Waffle Tea Towel", "kitchen linen", 980, COLOURS[:3], SETS),
    Product("Bread Bag", "kitchen linen", 1140, COLOURS[4:7], SIZES[:2]),
    Product("Bowl Cover", "kitchen linen", 1290, COLOURS[5:8], SETS[:2]),
    Product("Carving Board", "kitchen tools", 3480, WOODS, SIZES[1:]),
    Product("Rolling Pin", "kitchen tools", 1760, WOODS[:3], SIZES[:2]),
    Product("Salad Servers", "kitchen tools", 2190, WOODS, SETS[:1]),
    Product("Spice Rack", "kitchen tools", 3940, WOODS[:3], SIZES),
    Product("Pepper Mill", "kitchen tools", 2840, WOODS, SIZES[:2]),
    Product("Measuring Cups", "kitchen tools", 1990, METALS, SETS[1:]),
    Product("Whistling Kettle", "cookware", 4680, METALS, VOLUMES),
    Product("Saute Pan", "cookware", 6240, METALS[1:], SIZES),
    Product("Stock Pot", "cookware", 7150, METALS[1:], VOLUMES[1:]),
    Product("Milk Pan", "cookware", 2960, METALS, VOLUMES[:1]),
    Product("Casserole Dish", "cookware", 5420, GLAZES, VOLUMES[1:]),
    Product("Pie Dish", "cookware", 2330, GLAZES, SIZES[:2]),
    Product("Butter Dish", "tableware", 1880, GLAZES, SIZES[:1]),
    Product("Stoneware Mug", "tableware", 1260, GLAZES, SETS),
    Product("Dinner Plate", "tableware", 2780, GLAZES, SETS[1:]),
    Product("Soup Bowl", "tableware", 2170, GLAZES[:3], SETS[1:]),
    Product("Serving Platter", "tableware", 3360, GLAZES, SIZES[1:]),
    Product("Water Jug", "tableware", 2640, GLAZES, VOLUMES[:2]),
    Product("Egg Cup", "tableware", 940, GLAZES[1:], SETS[1:]),
    Product("Table Runner", "table linen", 2720, COLOURS[:4], LENGTHS),
    Product("Tablecloth", "table linen", 4890, COLOURS[3:7], LENGTHS[1:]),
    Product("Cloth Napkin", "table linen", 1580, COLOURS, SETS[1:]),
    Product("Place Mat", "table linen", 1420, COLOURS[1:5], SETS[1:]),
    Product("Bath Towel", "bathroom", 2260, COLOURS, SIZES[1:]),
    Product("Bath Mat", "bathroom", 2480, COLOURS[:5], SIZES[:2]),
    Product("Soap Dish", "bathroom", 1170, GLAZES[:3], SIZES[:1]),
    Product("Laundry Basket", "bathroom", 4370, COLOURS[2:5], SIZES[1:]),
    Product("Washed Duvet Cover", "bedroom", 8940, COLOURS[:5], BEDS),
    Product("Fitted Sheet", "bedroom", 4150, COLOURS[2:6], BEDS),
    Product("Wool Blanket", "bedroom", 11250, COLOURS[3:7], BEDS[:2]),
    Product("Pillowcase", "bedroom", 1690, COLOURS, SETS[:2], True),
    Product("Cotton Bedspread", "bedroom", 7680, COLOURS[4:8], BEDS[1:]),
    Product("Jute Rug", "living room", 9560, COLOURS[2:5], LENGTHS),
    Product("Cushion Cover", "living room", 2070, COLOURS, SIZES[:2]),
    Product("Knitted Throw", "living room", 5940, COLOURS[:6], SIZES[1:]),
    Product("Door Curtain", "living room", 6480, COLOURS[:3], LENGTHS),
    Product("Candle Holder", "living room", 1740, METALS, SETS[:2]),
    Product("Picture Shelf", "living room", 3180, WOODS, LENGTHS[:2]),
    Product("Beeswax Candle", "living room", 1360, SCENTS, SIZES, True),
    Product("Mattress Topper", "bedroom", 13480, COLOURS[7:], BEDS, True),
    Product("Hand Soap", "bathroom", 790, SCENTS, SETS[:2], True),
)
