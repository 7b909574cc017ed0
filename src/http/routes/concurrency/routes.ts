import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { getConcurrencyHistoryRoute } from './get-concurrency-history'
import { listConcurrencyRoute } from './list-concurrency'
import { listTuningLogRoute } from './list-tuning-log'
import { pauseVendorRoute } from './pause-vendor'
import { resumeVendorRoute } from './resume-vendor'
import { runTunerRoute } from './run-tuner'
import { updateConcurrencyRoute } from './update-concurrency'

export const concurrencyRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listConcurrencyRoute(deps))
    .use(getConcurrencyHistoryRoute(deps))
    .use(updateConcurrencyRoute(deps))
    .use(pauseVendorRoute(deps))
    .use(resumeVendorRoute(deps))
    .use(runTunerRoute(deps))
    .use(listTuningLogRoute(deps))
