import { Elysia } from 'elysia'
import type { Deps } from '../../../deps'
import { getAccountRoute } from './get-account'
import { issueAccountKeyRoute } from './issue-account-key'
import { listAccountKeysRoute } from './list-account-keys'
import { revokeAccountKeyRoute } from './revoke-account-key'

export const accountRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(getAccountRoute(deps))
    .use(listAccountKeysRoute(deps))
    .use(issueAccountKeyRoute(deps))
    .use(revokeAccountKeyRoute(deps))
