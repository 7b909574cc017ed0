import { Gauge, type Registry } from 'prom-client'
import { ALERT_RULE_NAMES } from '../../../core/alerts/alert-rules'
import type { Sql } from '../../../core/postgres/database'
import { nullInOutage } from '../../../core/postgres/transient-errors'
import { countRaised } from '../../../drizzle/queries/alerts/alerts'

/**
 * The scheduler role's gauge of raised alerts, from the database. While the database is down, nothing is reported, because unknown is
 * not 0.
 */
export const registerAlertMetrics = (registry: Registry, sql: Sql): void => {
  new Gauge({
    name: 'alerts_raised',
    help: 'Alerts that are raised, by rule. Silenced ones have their own count',
    labelNames: ['rule', 'silenced'],
    registers: [registry],
    async collect() {
      this.reset()
      const counts = await nullInOutage(countRaised(sql))
      if (counts === null) return
      for (const rule of ALERT_RULE_NAMES) {
        const { raised, silenced } = counts.find((count) => count.rule === rule) ?? { raised: 0, silenced: 0 }
        this.set({ rule, silenced: 'false' }, raised - silenced)
        this.set({ rule, silenced: 'true' }, silenced)
      }
    },
  })
}
