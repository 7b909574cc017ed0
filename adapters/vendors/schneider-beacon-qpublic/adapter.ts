import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchReport } from './fetch'
import { parseReport } from './parse'

export const schneiderBeaconQpublic: Adapter<typeof config> = {
  vendor: 'schneider-beacon-qpublic',
  grade: 'B',
  needsBrowser: true,
  config,
  fetch: fetchReport,
  parse: parseReport,
}
