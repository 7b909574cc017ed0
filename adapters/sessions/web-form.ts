import { resolveLink } from '../reading/link'
import type { Region } from '../reading/region'
import { wordsOf } from '../reading/text'
import { ScrapeError } from '../scrape-error'

/**
 * A form as the page came with it: hidden fields (ASP.NET's `__VIEWSTATE` and its kin among them), and what is filled in or
 * chosen. Post `fields` to get what a browser would get.
 */
export interface WebForm {
  /** Where it is sent; relative to the page. '' is the page itself. */
  action: string
  /** Sent in the address when the form says so; portals post the others. */
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
 * The form with these fields filled in. Each is named by the end of its name (`geoid` for `propertySearchOptions$geoid`): what
 * stands before it changes with the page's layout.
 *
 * @throws ScrapeError `page_changed` naming the field that the form does not have
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
 * The form with the button of this label pressed: its name is posted too, which is how the server knows what to do.
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

/** The form with this button pressed, for pages that call it differently from county to county. */
export const press = (form: WebForm, button: Region): WebForm => {
  const name = button.attribute('name')
  if (name === undefined) return form
  return { ...form, fields: { ...form.fields, [name]: button.attribute('value') ?? '' } }
}

/** The form as a link of ASP.NET's would post it: `<a href="javascript:__doPostBack('target','argument')">`. */
export const postBack = (form: WebForm, target: string, argument = ''): WebForm => ({
  ...form,
  fields: { ...form.fields, __EVENTTARGET: target, __EVENTARGUMENT: argument },
})

/**
 * @returns what `http.request` takes, with the form's action seen from the page it came with.
 * @throws ScrapeError `page_changed` when the form goes nowhere
 */
export const submission = (form: WebForm, pageUrl: string): { url: string; form?: Record<string, string> } => {
  const url = resolveLink(form.action, pageUrl)
  if (form.method === 'POST') return { url: url.href, form: form.fields }
  url.search = new URLSearchParams(form.fields).toString()
  return { url: url.href }
}
