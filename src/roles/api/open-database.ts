import type { PoolOptions, Sql } from '../../../core/postgres/database'
import type { Reads } from '../../../core/postgres/replicas/reads'
import { followReplicas, type Replicas } from '../../../core/postgres/replicas/replicas'
import { registerReplicaMetrics } from '../../operations/observe/replica-metrics'
import { createPools, isTraced, type RoleContext } from '../role'

const POOL: PoolOptions = { max: 10, applicationName: 'api', patience: 'interactive', timed: true }
/**
 * Slow queries have their own connections: if no connection is idle, the driver queues a statement behind a running one, and a look-up of
 * 1 ms would wait for it.
 */
const HEAVY_POOL: PoolOptions = { max: 8, applicationName: 'api-heavy', patience: 'interactive', timed: true }
/** Reading the vocabulary of the search takes about 10 s per million parcels, and no request waits for it. */
const VOCABULARY_POOL: PoolOptions = { max: 1, applicationName: 'api-vocabulary', patience: 'bulk' }

/** The connections of the API to the primary and its replicas. */
export interface ApiDatabase {
  /** The primary. */
  sql: Sql
  /** For short reads. */
  reads: Reads
  heavyReads: Reads
  vocabularyReads: Reads
  replicas: Replicas
  close: () => Promise<void>
}

export const openDatabase = (context: RoleContext): ApiDatabase => {
  const { config, components, metrics, log } = context
  const connect = createPools(context)
  const sql = connect(components.databaseUrl, POOL)
  const heavySql = connect(components.databaseUrl, HEAVY_POOL)
  const vocabularySql = connect(components.databaseUrl, VOCABULARY_POOL)
  const replicas = followReplicas(config.databaseReadUrls, sql, {
    onChange: ({ name, inRotation, problem }) =>
      log.warn({ replica: name, problem }, inRotation ? 'reads go to the replica' : 'no reads go to the replica'),
  })
  registerReplicaMetrics(metrics, replicas)
  const ofReplica = { probed: true, traced: isTraced(config) }
  return {
    sql,
    reads: replicas.openReads(sql, { ...POOL, ...ofReplica }),
    heavyReads: replicas.openReads(heavySql, { ...HEAVY_POOL, ...ofReplica }),
    vocabularyReads: replicas.openReads(vocabularySql, { ...VOCABULARY_POOL, ...ofReplica }),
    replicas,
    async close() {
      await replicas.stop()
      await Promise.all([sql, heavySql, vocabularySql].map((pool) => pool.end({ timeout: 5 })))
    },
  }
}
