import { useQuery } from '@tanstack/react-query'
import { type AlertRuleName, ruleOf } from '../../../../../../core/alerts/alert-rules'
import { api, ask, at } from '../../../api/api'
import { repeatEvery } from '../../../api/queries'
import { listWatches, type Watch } from '../../watches/watch-api'

const REFETCH_MS = 30_000
/** As many as a list shows. The navigation counts them up to here. */
export const MAX_RAISED = 100

const listAlerts = (query: { state: 'raised' | 'resolved'; after?: string }, signal: AbortSignal) =>
  ask(api.v1.alerts.get({ query: { limit: MAX_RAISED, ...query }, fetch: { signal } }))
export type Alert = Awaited<ReturnType<typeof listAlerts>>['alerts'][number]

/** Alerts that are raised now, newest first. */
export const useRaisedAlerts = ({ isOn }: { isOn: boolean }) =>
  useQuery({
    queryKey: ['alerts', 'raised'],
    queryFn: ({ signal }) => listAlerts({ state: 'raised' }, signal),
    refetchInterval: repeatEvery(REFETCH_MS),
    enabled: isOn,
  })

export const listPastAlerts = (after: string | null, signal: AbortSignal) =>
  listAlerts({ state: 'resolved', ...(after === null ? {} : { after }) }, signal)

export const silenceAlert = (id: string, silence: { until: string; reason?: string }) =>
  ask(api.v1.alerts({ id: at(id) }).silence.put(silence))
export const endSilence = (id: string) => ask(api.v1.alerts({ id: at(id) }).silence.delete())

export const listRules = (signal: AbortSignal) => ask(api.v1['alert-rules'].get({ fetch: { signal } }))
export type Rule = Awaited<ReturnType<typeof listRules>>['rules'][number]
export const changeRule = (rule: AlertRuleName, change: { active?: boolean; threshold?: number | null }) =>
  ask(api.v1['alert-rules']({ rule }).patch(change))

/** The watches that get messages about alerts. */
export const listReceivers = async (signal: AbortSignal): Promise<Watch[]> => {
  const receivers: Watch[] = []
  for (let after: string | null = null; ; ) {
    const { watches, next } = await listWatches(after, signal)
    receivers.push(...watches.filter(({ kind }) => kind === 'alerts'))
    if (next === null) return receivers
    after = next
  }
}

/** The page about the subject of an alert; null if it is this page. */
export const pathOfAlert = ({ rule, subject }: Pick<Alert, 'rule' | 'subject'>): string | null => {
  const path = ruleOf(rule).pathOf(subject)
  return path === '/app/console/alerts' ? null : path
}
