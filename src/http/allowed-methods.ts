/** The methods that a path takes; none when it is no route. HEAD goes where GET does. */
export const allowedMethods = (routes: readonly { method: string; path: string }[], path: string): string[] =>
  routes
    .filter((route) => toPattern(route.path).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))

/** `/v1/parcels/:source/:id` as a regular expression. */
const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[^/]+/g, '[^/]+')}$`)
