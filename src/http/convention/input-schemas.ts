import type { InputSchemas } from './errors'

interface Route {
  method: string
  path: string
  hooks: InputSchemas
}

/** Looks up the input schemas of a route by its method and declared path. Returns {} for an unknown route. */
export const createInputSchemas = (listRoutes: () => readonly Route[]) => {
  let byRoute: Map<string, InputSchemas> | undefined
  return (method: string, path: string): InputSchemas => {
    byRoute ??= new Map(listRoutes().map((route) => [`${route.method} ${route.path}`, route.hooks]))
    return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? {}
  }
}
