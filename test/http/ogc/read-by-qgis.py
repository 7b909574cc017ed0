"""Opens a collection of an address with QGIS, and prints what it reads: address, collection, west, south, east, north."""

import json
import sys

from qgis.core import QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer

address, collection, *box = sys.argv[1:]
application = QgsApplication([], False)
application.initQgis()
layer = QgsVectorLayer(f"url='{address}' typename='{collection}'", "parcels", "OAPIF")
inside = QgsFeatureRequest().setFilterRect(QgsRectangle(*map(float, box)))
found = {
    "isValid": layer.isValid(),
    "count": layer.featureCount(),
    "ids": sorted(feature["source_parcel_id"] for feature in layer.getFeatures()),
    "inBox": sorted(feature["source_parcel_id"] for feature in layer.getFeatures(inside)),
}
print(json.dumps(found))
del layer
application.exitQgis()
