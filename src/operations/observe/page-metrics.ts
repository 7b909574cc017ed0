import { Counter, Gauge, type Registry } from 'prom-client'
import type { Sql } from '../../../core/postgres/database'
import { countKeptPages } from '../../../drizzle/queries/pages/store-pages'
import type { StoredPagesOptions } from '../../scrape/pages/stored-pages'

/** Counters of the pages that this process keeps. */
export const registerPageCounters = (
  registry: Registry,
): Required<Pick<StoredPagesOptions, 'onStored' | 'onDropped' | 'onRemoved'>> => {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> => {
    const known = registry.getSingleMetric(name) as Counter<Label> | undefined
    return known ?? new Counter({ name, help, labelNames, registers: [registry] })
  }
  const stored = counter('pages_stored_total', 'Page sets of portals that were stored')
  const bytes = counter('pages_stored_bytes_total', 'Compressed bytes of stored page sets')
  const dropped = counter('pages_dropped_total', 'Page sets that were not kept, by reason', ['reason'])
  const removed = counter(
    'pages_removed_total',
    'Page sets that were removed: newer ones of the parcel, age, or the size limit',
  )
  for (const reason of ['too_large', 'queue_full', 'store_failed']) dropped.inc({ reason }, 0)
  return {
    onStored(pages, size) {
      stored.inc(pages)
      bytes.inc(size)
    },
    onDropped(reason, pages) {
      dropped.inc({ reason }, pages)
    },
    onRemoved(pages) {
      removed.inc(pages)
    },
  }
}

/** The scheduler role's gauges of kept pages, from the database. While the database is down, they are unknown, not 0. */
export const registerPageGauges = (registry: Registry, sql: Sql): void => {
  const gauge = (name: string, help: string, of: 'pages' | 'bytes') =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(
          await countKeptPages(sql).then(
            (kept) => kept[of],
            () => Number.NaN,
          ),
        )
      },
    })
  gauge('pages_kept', 'Page sets of portals that are kept', 'pages')
  gauge('pages_kept_bytes', 'Compressed size of all kept page sets', 'bytes')
}
