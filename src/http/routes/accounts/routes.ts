import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { listAccountsRoute } from './list-accounts'
import { removeAccountRoute } from './remove-account'
import { updateAccountRoute } from './update-account'

export const accountsRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listAccountsRoute(deps))
    .use(updateAccountRoute(deps))
    .use(removeAccountRoute(deps))
