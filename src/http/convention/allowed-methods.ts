/** The methods that a path takes; none when it is no route. HEAD goes where GET does. */
export const allowedMethods = (routes: readonly { method: string; path: string }[], path: string): string[] => {
  const methods = routes
    // What any method reaches (`ALL`) is no route of ours, but the framework's own.
    .filter((route) => route.method !== 'ALL' && toPattern(route.path).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...new Set(methods)]
}

/** `/v1/parcels/:source/:id` as a regular expression; `*` is the rest of a path. A slash at the end makes no difference. */
const toPattern = (path: string): RegExp => {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/\*$/, '.+')
    .replace(/:[^/]+/g, '[^/]+')
  return new RegExp(`^${pattern}/?$`)
}
