import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { alertRulesRoutes } from './alert-rules'
import { listAlertsRoute } from './list-alerts'
import { silenceAlertRoute } from './silence-alert'

export const alertRoutes = (deps: Deps) =>
  new Elysia({ normalize: false }).use(listAlertsRoute(deps)).use(silenceAlertRoute(deps)).use(alertRulesRoutes(deps))
