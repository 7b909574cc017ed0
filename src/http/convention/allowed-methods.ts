/** The methods that a path allows; empty when no route matches. HEAD is allowed wherever GET is. */
export const allowedMethods = (routes: readonly { method: string; path: string }[], path: string): string[] => {
  const methods = routes
    // Routes with the method `ALL` belong to the framework.
    .filter((route) => route.method !== 'ALL' && toPattern(route.path).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...new Set(methods)]
}

/** Turns `/v1/parcels/:source/:id` into a regular expression. `*` matches the rest of a path; a trailing slash is allowed. */
const toPattern = (path: string): RegExp => {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/\*$/, '.+')
    .replace(/:[^/]+/g, '[^/]+')
  return new RegExp(`^${pattern}/?$`)
}
