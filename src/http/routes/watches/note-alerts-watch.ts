import { actsAsAdmin } from '../../callers/auth'

/** Records a change to a watch of alerts, which only admins can have. `watch`: JSON text. */
export const noteAlertsWatch = (request: Request, watch: string): void => {
  if (JSON.parse(watch).kind === 'alerts') actsAsAdmin(request)
}
