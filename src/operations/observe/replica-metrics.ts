import { Counter, Gauge, type Registry } from 'prom-client'
import type { Replicas } from '../../../core/postgres/replicas/replicas'

/** Registers the metrics of the replicas. Without replicas they have no values. */
export const registerReplicaMetrics = (
  registry: Registry,
  replicas: Pick<Replicas, 'states' | 'primaryReads'>,
): void => {
  const registers = [registry]
  const labelNames = ['replica']
  new Gauge({
    name: 'postgres_replica_in_rotation',
    help: '1 while a replica gets reads',
    labelNames,
    registers,
    collect() {
      for (const { name, inRotation } of replicas.states()) this.set({ replica: name }, Number(inRotation))
    },
  })
  new Gauge({
    name: 'postgres_replica_lag_seconds',
    help: 'How far a replica is behind the primary; missing while it is not known',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { name, lagS } of replicas.states()) if (lagS !== null) this.set({ replica: name }, lagS)
    },
  })
  new Counter({
    name: 'postgres_reads_total',
    help: 'Reads that may go to a replica, by the server that got them: the name of a replica, or primary',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset()
      const states = replicas.states()
      for (const { name, reads } of states) this.inc({ server: name }, reads)
      if (states.length > 0) this.inc({ server: 'primary' }, replicas.primaryReads())
    },
  })
  new Counter({
    name: 'postgres_replica_repeated_reads_total',
    help: 'Reads that failed on a replica and were repeated on the primary',
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { name, repeated } of replicas.states()) this.inc({ replica: name }, repeated)
    },
  })
}
