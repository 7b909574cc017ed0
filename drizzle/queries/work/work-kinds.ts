import { crawl } from './kinds/crawl'
import { ingest, preview } from './kinds/file-load'
import { load } from './kinds/load'
import { match } from './kinds/match'
import { parcelExport } from './kinds/parcel-export'
import { searchCheck, searchRebuild } from './kinds/search-index'
import { tileBuild } from './kinds/tile-build'
import { webhooks } from './kinds/webhooks'

/** Every kind of work. `/v1/work` and the OpenAPI document show the schemas. A new kind is added here. */
export const WORK_KINDS = {
  crawl,
  load,
  ingest,
  preview,
  tileBuild,
  searchCheck,
  searchRebuild,
  webhooks,
  parcelExport,
  match,
}
