from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import geopandas


def to_geopandas(rows: Iterable[Mapping[str, Any]]) -> geopandas.GeoDataFrame:
    """Parcels as a GeoDataFrame in EPSG:4326. `geom_geojson` becomes the geometry; parcels without one have none.

    Needs geopandas: `pip install parcel-data-client[geopandas]`.
    """
    import geopandas
    from shapely.geometry import shape

    records = list(rows)
    boundaries = [record.get("geom_geojson") for record in records]
    columns = [{name: value for name, value in record.items() if name != "geom_geojson"} for record in records]
    geometry = [None if boundary is None else shape(boundary) for boundary in boundaries]
    return geopandas.GeoDataFrame(columns, geometry=geometry, crs="EPSG:4326")
