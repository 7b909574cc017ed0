import { ConsolePage } from '../console-page'
import { CurrentAlerts, PastAlerts } from './alert-lists'
import { Receivers } from './receivers'
import { Rules } from './rules'

/** Current and past alerts, the webhooks that get messages about them, and the rules. */
export const AlertsPage = () => (
  <ConsolePage
    title="Alerts"
    lead="The service checks its own health once a minute. Alerts that nobody has silenced are red."
  >
    <h2>Now</h2>
    <CurrentAlerts />
    <h2>Webhooks</h2>
    <Receivers />
    <h2>Rules</h2>
    <Rules />
    <h2>Past</h2>
    <PastAlerts />
  </ConsolePage>
)
