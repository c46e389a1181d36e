"""Distances and directions on the sphere, for all pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

RADIUS_KM: Final = 6371.0088
COMPASS: Final = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
Points = Sequence[tuple[float, float]]


def unit(points: Points) -> NDArray[Any]:
    """Return the points (latitude, longitude in degrees) as unit vectors, float64 [n, 3]."""
    lat, lon = np.radians(np.array(points, dtype=np.float64).reshape(-1, 2)).T
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def degrees(one: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Return the angles, float64 [n] in degrees, between a unit vector and others."""
    chord = np.linalg.norm(others - one, axis=-1)
    return np.degrees(2 * np.arcsin(np.clip(chord / 2, 0.0, 1.0)))


def kilometres(one: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Return the distances along the sphere of the Earth's mean radius, float64 [n]."""
    return np.radians(degrees(one, others)) * RADIUS_KM


def bearing(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return the compass direction, one of eight, in which `end` lies from `start` along the great circle."""
    lat1, lon1, lat2, lon2 = np.radians([*start, *end])
    east = np.sin(lon2 - lon1) * np.cos(lat2)
    north = np.cos(lat1) * np.sin(lat2) - np.sin(lat1) * np.cos(lat2) * np.cos(lon2 - lon1)
    return COMPASS[round(float(np.degrees(np.arctan2(east, north))) / 45) % 8]
