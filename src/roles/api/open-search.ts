import { Gauge } from 'prom-client'
import { describeStates, NO_STATES, type StateSet, uniteStates } from '../../../core/state-set'
import { type IndexedInstance, listIndexedInstances } from '../../../search/index/indexed-instances'
import { nameInstance } from '../../../search/index/instances'
import { createSearch, type Search } from '../../../search/search'
import type { RoleContext } from '../role'
import type { ApiDatabase } from './open-database'

export interface ApiSearch {
  search: Search
  /** The instances of Meilisearch. Empty: there is no index. */
  instances: readonly IndexedInstance[]
  /** The states whose searches run on PostgreSQL, because their instances of Meilisearch do not answer. */
  degradedStates: () => StateSet
  /** Resolves when the vocabulary was read, or could not be read. Until then, searches do not correct typos. */
  vocabulary: Promise<void>
}

/** The search of the API. It logs and measures which instances of Meilisearch do not answer. */
export const openSearch = (
  { components: { meili }, metrics, log }: RoleContext,
  { sql, reads, heavyReads, vocabularyReads }: ApiDatabase,
): ApiSearch => {
  const instances = meili === null ? [] : listIndexedInstances(meili)
  /** The names of the instances that do not answer. */
  const away = new Set<string>()
  const search = createSearch({
    sql,
    reads,
    heavyReads,
    vocabularyReads,
    meili,
    onHealthChange: (instance, healthy, reason) => {
      const name = nameInstance(instance)
      if (healthy) away.delete(name)
      else away.add(name)
      log.warn(
        { healthy, reason, instance: name, states: describeStates(instance.states) },
        healthy ? 'Meilisearch answers again' : 'Meilisearch does not answer: PostgreSQL answers searches',
      )
    },
  })
  new Gauge({
    name: 'search_degraded',
    help: '1 while PostgreSQL answers searches because Meilisearch does not, by instance of Meilisearch',
    labelNames: ['instance', 'states'],
    registers: [metrics],
    collect() {
      for (const { name, states } of instances)
        this.set({ instance: name, states: describeStates(states) }, Number(away.has(name)))
    },
  })
  return {
    search,
    instances,
    degradedStates: () =>
      instances.reduce((states, one) => (away.has(one.name) ? uniteStates(states, one.states) : states), NO_STATES),
    // If it fails, a later search reads the vocabulary.
    vocabulary: search
      .refreshVocabulary()
      .catch((error) =>
        log.warn({ err: error }, 'the search vocabulary could not be read: searches do not correct typos until it is'),
      ),
  }
}
