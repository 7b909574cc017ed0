import { Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../../core/postgres/database'
import { nullInOutage } from '../../../core/postgres/transient-errors'
import { type DeliveryFigures, readDeliveryFigures } from '../../../drizzle/queries/watches/store-matches'

/** The scheduler role's gauges of webhooks, from the database. While the database is down, they are unknown, not 0. */
export const registerWebhookMetrics = (registry: Registry, sql: Sql): void => {
  const gauge = (name: string, help: string, read: (figures: DeliveryFigures) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const figures = await nullInOutage(readDeliveryFigures(sql))
        this.set(figures === null ? Number.NaN : read(figures))
      },
    })
  gauge('webhook_deliveries_pending', 'Webhooks that are not delivered yet', ({ pending }) => pending)
  gauge(
    'webhook_changes_missed',
    'Changes that were left out because too many webhooks of their watch were waiting',
    ({ missed }) => missed,
  )
}
