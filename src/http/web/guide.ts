import { fileURLToPath } from 'node:url'
import { GUIDE } from '../../web/app/pages/docs/guide'
import { listResponseFields, type ResponseObject } from '../docs/response-fields'

/** What the guide needs to know about the API: the service's URL, and the fields of responses by operation. */
export interface ApiFacts {
  baseUrl: string
  responses: Readonly<Record<string, ResponseObject[]>>
}

/** `openApi` is the text of the document. */
export const readApiFacts = (openApi: string, baseUrl: string): ApiFacts => {
  const all = listResponseFields(JSON.parse(openApi))
  const shown = GUIDE.flatMap(({ examples }) => examples).flatMap(({ operation }) => operation?.id ?? [])
  return { baseUrl, responses: Object.fromEntries(shown.map((id) => [id, all[id] ?? []])) }
}

/** The module is loaded by its path, because its types need a browser's library. */
const RENDERER = fileURLToPath(new URL('../../web/app/pages/docs/render-docs.tsx', import.meta.url))

/** The app's page with the guide in it as HTML, which can be read without JavaScript. */
export const renderGuide = async (page: string, facts: ApiFacts): Promise<string> => {
  const { renderDocs }: { renderDocs: (facts: ApiFacts) => Promise<string> } = await import(RENDERER)
  const html = await renderDocs(facts)
  // A "<" in it could end the element.
  const data = JSON.stringify(facts).replaceAll('<', '\\u003c')
  return page
    .replace(/<title>.*<\/title>/, '<title>API guide · Parcels</title>')
    .replace(/<noscript>.*<\/noscript>/, '')
    .replace(EMPTY, () => `<div id="app">${html}</div><script type="application/json" id="api-facts">${data}</script>`)
}

const EMPTY = '<div id="app"></div>'
