import { actsAsAdmin, principalOf } from '../../callers/auth'

/** Records that an admin changes a watch of alerts, or another owner's watch. `watch`: JSON text. */
export const noteAdminAct = (request: Request, watch: string): void => {
  const { kind, created_by } = JSON.parse(watch) as { kind: string; created_by: string }
  if (kind === 'alerts' || created_by !== principalOf(request).actor) actsAsAdmin(request)
}
