import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../../http/test-app'
import { useAppInDom } from './open-app'

describe('the field for an API key', async () => {
  const { app, readKey, signIn } = await createTestApp()
  const key = await readKey()
  const { open, find, gone, elements, type } = useAppInDom(app.handle)
  const use = async (typed: string) => {
    type(await find('main .key-form input'), typed)
    ;(await find('main .key-form button[type=submit]:not([disabled])')).click()
  }

  test('the start page of a signed-out visitor has the field, and a valid key opens the search', async () => {
    await open('/app/search')
    await find('main a', 'Sign in')
    await use(key)
    await find('h2', 'What you can search for')
    expect(sessionStorage.getItem('parcel-key')).toBe(key)
  })

  test('“Sign in” returns to where the map was moved, which no rendering notes', async () => {
    await open('/map?show=list')
    const link = await find('main a', 'Sign in')
    history.replaceState(null, '', '/map?show=list#14/43.87/-120.55')
    // happy-dom would open the page.
    document.addEventListener('click', (event) => event.preventDefault(), { once: true })
    link.click()
    expect(link.getAttribute('href')).toBe(
      `/auth/sign-in?return_to=${encodeURIComponent('/map?show=list#14/43.87/-120.55')}`,
    )
  })

  test('a key that the service refuses is reported at the field and not kept', async () => {
    for (const mistyped of [`${key}x`, 'ключ']) {
      // A new page, because the message of the previous key remains until this one is checked.
      await open('/map')
      await use(mistyped)
      await find('main .key-form .field-error', 'This key is not valid')
      expect((await find('main .key-form input')).getAttribute('aria-invalid')).toBe('true')
      expect(sessionStorage.getItem('parcel-key')).toBeNull()
    }
    await use(key)
    await gone('main .key-form')
    expect(sessionStorage.getItem('parcel-key')).toBe(key)
  })

  test('a signed-in person whose tab keeps an invalid key can forget it in the message', async () => {
    const { cookie } = await signIn({ email: 'ada@larkspur.example' })
    await open('/app/watches', { key: 'wrongkey', cookie })
    const notice = await find('main .notice', 'The API key that this tab uses is not valid.')
    notice.querySelector('button')?.click()
    await find('main .empty', 'You have no watches yet.')
    expect(sessionStorage.getItem('parcel-key')).toBeNull()
    expect(elements('main .notice')).toEqual([])
  })
})
