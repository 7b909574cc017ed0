import type { HttpClient, RawDocument } from '../adapter'
import { expectPage } from '../reading/page/expect-page'
import { readPage } from '../reading/page/read-page'
import type { Gate } from './pass-gate'
import { press, readForm, submission } from './web-form'

/**
 * ASP.NET's page of terms. Until a session has accepted them, requests are redirected there.
 *
 * @param page the end of the terms page's address: `Disclaimer.aspx`
 * @param button selects the button that accepts the terms; its name differs between portals
 */
export const disclaimerGate = (http: HttpClient, page: string, button: string): Gate => ({
  name: `the disclaimer (${page})`,
  isShown: ({ url, body }) =>
    new URL(url).pathname.toLowerCase().endsWith(`/${page.toLowerCase()}`) || postsTo(body, page),
  open: async (shown) => {
    const terms = readPage([shown], shown.name)
    const agree = terms.get(button, 'the button that agrees to the disclaimer')
    expectPage(await http.request({ name: 'disclaimer', ...submission(press(readForm(terms), agree), shown.url) }))
  },
})

/** A portal may show its terms at the requested URL. */
const postsTo = (body: RawDocument['body'], page: string): boolean =>
  new RegExp(`<form\\b[^>]*\\baction="[^"]*\\b${page.replace('.', '\\.')}`, 'i').test(body)
