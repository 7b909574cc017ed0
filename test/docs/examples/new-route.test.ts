import { expect, test } from 'bun:test'
import { createTestApp, insertCounty } from '../../http/test-app'
import { copySource } from './source-copy'

const source = copySource()

test('a new route takes two files: the endpoint, and the list of its resource', async () => {
  source.write(
    'src/http/routes/sources/get-source-vendor.ts',
    `import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findSourceVendor } from '../../../../drizzle/queries/sources/sources'
import { authorization } from '../../callers/auth'
import { HttpError } from '../../convention/errors'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound, sourceSlug, vendorName } from '../../schemas'

export const getSourceVendorRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/sources/:source/vendor',
    async ({ params }) => {
      const vendor = await findSourceVendor(sql, params.source)
      if (vendor === null) throw new HttpError(404, 'not found')
      return jsonResponse(JSON.stringify({ vendor }))
    },
    {
      needs: 'read',
      params: Type.Object({ source: sourceSlug }),
      response: { 200: Type.Object({ vendor: vendorName }), ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'Get the vendor of a source',
        description: 'The name of its adapter.',
        operationId: 'getSourceVendor',
      },
    },
  )
`,
  )
  source.edit(
    'src/http/routes/sources/routes.ts',
    [
      "import { getSourceRoute } from './get-source'\n",
      "import { getSourceRoute } from './get-source'\nimport { getSourceVendorRoute } from './get-source-vendor'\n",
    ],
    ['    .use(getSourceRoute(deps))\n', '    .use(getSourceRoute(deps))\n    .use(getSourceVendorRoute(deps))\n'],
  )
  expect(source.listChanges()).toEqual([
    'src/http/routes/sources/get-source-vendor.ts',
    'src/http/routes/sources/routes.ts',
  ])

  const { createApp } = await source.load<typeof import('../../../src/http/app')>('src/http/app.ts')
  const { sql, call } = await createTestApp({ createApp })
  await insertCounty(sql)
  for (const path of ['/v1/sources/elm/vendor', '/sources/elm/vendor']) {
    expect(await call(path)).toMatchObject({ status: 200, body: { vendor: 'arcgis-rest' } })
  }
  // It has the rules of all routes: keys, errors, and the document.
  expect((await call('/v1/sources/elm/vendor', { key: null })).status).toBe(401)
  expect((await call('/v1/sources/oak/vendor')).status).toBe(404)
  expect((await call('/v1/sources/el!m/vendor')).status).toBe(400)
  expect((await call('/v1/sources/elm/vendor', { method: 'POST' })).status).toBe(405)
  const { paths } = (await call('/openapi.json', { key: null })).body
  expect(paths['/v1/sources/{source}/vendor'].get).toMatchObject({
    operationId: 'getSourceVendor',
    responses: { 404: { $ref: '#/components/responses/Error404' } },
  })
})
