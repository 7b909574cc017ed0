"""Client of the Parcel Data Service. `ParcelData` waits for each answer, `AsyncParcelData` is for asyncio."""

from . import models
from ._async_client import AsyncParcelData
from ._client import ParcelData
from ._connection import AsyncStream, Stream
from ._core import TextBody
from ._errors import ErrorCode, ParcelDataError
from ._pages import AsyncPages, Pages
from .events import ServiceEvent
from .geo import to_geopandas
from .webhooks import WebhookEvent, verify_webhook

__all__ = [
    "AsyncPages",
    "AsyncParcelData",
    "AsyncStream",
    "ErrorCode",
    "Pages",
    "ParcelData",
    "ParcelDataError",
    "ServiceEvent",
    "Stream",
    "TextBody",
    "WebhookEvent",
    "models",
    "to_geopandas",
    "verify_webhook",
]
