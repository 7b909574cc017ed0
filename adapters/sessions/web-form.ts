import { resolveLink } from '../reading/link'
import type { Region } from '../reading/region'
import { wordsOf } from '../reading/text'
import { ScrapeError } from '../scrape-error'

/**
 * A form with its initial values: hidden fields (such as ASP.NET's `__VIEWSTATE`), and filled or
 * selected ones. Post `fields` to get what a browser would get.
 */
export interface WebForm {
  /** The target, relative to the page. '' is the page itself. */
  action: string
  /** GET when the form says so; portals post everything else. */
  method: 'GET' | 'POST'
  fields: Record<string, string>
}

/** @throws ScrapeError `page_changed` when there is no such form */
export const readForm = (page: Region, selector = 'form'): WebForm => {
  const form = page.get(selector, 'form')
  const fields: Record<string, string> = {}
  for (const input of form.all('input[name], textarea[name]')) {
    const type = input.attribute('type')?.toLowerCase() ?? 'text'
    if (['submit', 'button', 'image', 'reset', 'file'].includes(type)) continue
    if (['checkbox', 'radio'].includes(type) && input.attribute('checked') === undefined) continue
    fields[input.attribute('name') as string] = input.attribute('value') ?? input.text
  }
  for (const select of form.all('select[name]')) {
    const chosen = select.find('option[selected]') ?? select.find('option')
    fields[select.attribute('name') as string] = chosen?.attribute('value') ?? chosen?.text ?? ''
  }
  const method = form.attribute('method')?.toUpperCase() === 'GET' ? 'GET' : 'POST'
  return { action: form.attribute('action') ?? '', method, fields }
}

/**
 * Fills in fields of the form. Each is identified by the end of its name (`geoid` for `propertySearchOptions$geoid`), because the part
 * before it changes with the page's layout.
 *
 * @throws ScrapeError `page_changed` naming a field that the form does not have
 */
export const fillForm = (form: WebForm, values: Readonly<Record<string, string>>): WebForm => {
  const fields = { ...form.fields }
  for (const [ending, value] of Object.entries(values)) {
    const name = Object.keys(fields).find((candidate) => candidate.endsWith(ending))
    if (name === undefined) throw new ScrapeError('page_changed', `no "${ending}" in the form`)
    fields[name] = value
  }
  return { ...form, fields }
}

/**
 * Presses the button with this label: its name is posted too, which tells the server what to do.
 *
 * @throws ScrapeError `page_changed` when the page has no such button
 */
export const pressButton = (form: WebForm, page: Region, label: string): WebForm => {
  const button = page
    .all('input[type=submit], input[type=image], button')
    .find((candidate) => wordsOf(candidate.attribute('value') ?? candidate.text) === wordsOf(label))
  if (button === undefined) throw new ScrapeError('page_changed', `no "${label}" button on the ${page.name} page`)
  return press(form, button)
}

/** Presses this button, for pages whose button label differs between counties. */
export const press = (form: WebForm, button: Region): WebForm => {
  const name = button.attribute('name')
  if (name === undefined) return form
  return { ...form, fields: { ...form.fields, [name]: button.attribute('value') ?? '' } }
}

/** Posts the form as an ASP.NET link does: `<a href="javascript:__doPostBack('target','')">`. */
export const postBack = (form: WebForm, target: string): WebForm => ({
  ...form,
  fields: { ...form.fields, __EVENTTARGET: target, __EVENTARGUMENT: '' },
})

/**
 * @returns arguments for `http.request`, with the form's action resolved against the page's URL.
 * @throws ScrapeError `page_changed` when the action is not a valid URL
 */
export const submission = (form: WebForm, pageUrl: string): { url: string; form?: Record<string, string> } => {
  const url = resolveLink(form.action, pageUrl)
  if (form.method === 'POST') return { url: url.href, form: form.fields }
  url.search = new URLSearchParams(form.fields).toString()
  return { url: url.href }
}
