"""Prints what geopandas reads from each file, on a line of JSON: features as GeoJSON, and the sum of their areas in square degrees.

Each line of a .jsonl file is a row, with its boundary as well-known binary in the member geometry (in hex). Other files are read by name.
"""

import json
import sys
import warnings

import geopandas
import pandas

warnings.filterwarnings("ignore")
for path in sys.argv[1:]:
    if path.endswith(".jsonl"):
        with open(path, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        boundaries = geopandas.GeoSeries.from_wkb([row.pop("geometry") for row in rows], crs="OGC:CRS84")
        frame = geopandas.GeoDataFrame(pandas.DataFrame(rows, dtype=object), geometry=boundaries)
    else:
        frame = geopandas.read_file(path)
    assert frame.crs.to_authority() in [("EPSG", "4326"), ("OGC", "CRS84")], frame.crs
    features = json.loads(frame.to_json(default=str))["features"]
    print(json.dumps({"area": frame.area.sum(), "features": features}))
