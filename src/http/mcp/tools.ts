import type { Tool } from './tool'
import { changesTool } from './tools/changes'
import { coverageTool } from './tools/coverage'
import { orderScrapeTool } from './tools/order-scrape'
import { ownersParcelsTool } from './tools/owners-parcels'
import { parcelTool } from './tools/parcel'
import { parcelsAtTool } from './tools/parcels-at'
import { parcelsInAreaTool } from './tools/parcels-in-area'
import { searchTool } from './tools/search'

/** At most eight, because each takes space in the context of every agent. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  parcelTool,
  parcelsAtTool,
  parcelsInAreaTool,
  ownersParcelsTool,
  changesTool,
  coverageTool,
  orderScrapeTool,
]
