import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { cancelExportRoute } from './cancel-export'
import { createExportRoute } from './create-export'
import { downloadExportRoute } from './download-export'
import { getExportRoute } from './get-export'
import { listExportsRoute } from './list-exports'

export const exportRoutes = (deps: Deps) =>
  new Elysia({ normalize: false, prefix: '/exports' })
    .use(createExportRoute(deps))
    .use(listExportsRoute(deps))
    .use(getExportRoute(deps))
    .use(cancelExportRoute(deps))
    .use(downloadExportRoute(deps))
