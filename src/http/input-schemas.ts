import type { InputSchemas } from './convention/errors'

interface Route {
  method: string
  path: string
  hooks: InputSchemas
}

/** The schemas of a route's input, by method and path as the route was declared; none for what is no route. */
export const createInputSchemas = (listRoutes: () => readonly Route[]) => {
  let byRoute: Map<string, InputSchemas> | undefined
  return (method: string, path: string): InputSchemas => {
    byRoute ??= new Map(listRoutes().map((route) => [`${route.method} ${route.path}`, route.hooks]))
    return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? {}
  }
}
