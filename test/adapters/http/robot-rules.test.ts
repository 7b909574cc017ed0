import { expect, test } from 'bun:test'
import { parseRobots } from '../../../adapters/http/robot-rules'
import { startProcessorClock } from '../../support/processor-clock'

const AGENT = 'parcel-data-service/1.0 (+https://parcels.example)'
const isAllowed = (text: string, path: string) => parseRobots(text, AGENT).isAllowed(`https://county.example${path}`)
const all = (...rules: string[]) => ['User-agent: *', ...rules].join('\n')

test.each([
  ['/search', 'Disallow: /search', false],
  ['/searching', 'Disallow: /search', false],
  ['/Search', 'Disallow: /search', true],
  ['/a/search', 'Disallow: /search', true],
  ['/map?x=1', 'Disallow: /*?', false],
  ['/map', 'Disallow: /*?', true],
  ['/a/b/c.pdf', 'Disallow: /*.pdf$', false],
  ['/a/b/c.pdf?page=2', 'Disallow: /*.pdf$', true],
  ['/a', 'Disallow: /a$', false],
  ['/ab', 'Disallow: /a$', true],
  ['/xaya', 'Disallow: /*a*a$', false],
  ['/xa', 'Disallow: /*a*a$', true],
  ['/%7Eada/', 'Disallow: /~ada/', false],
  ['/caf%c3%a9', 'Disallow: /café', false],
  ['/a%2fb', 'Disallow: /a/b', true],
  ['/anything', 'Disallow:', true],
  ['/robots.txt', 'Disallow: /', true],
])('%p under "%s" is allowed: %p', (path, rule, expected) => {
  expect(isAllowed(all(rule), path)).toBe(expected)
})

test('the longest matching rule wins, and Allow wins over an equally long Disallow', () => {
  expect(isAllowed(all('Disallow: /parcel', 'Allow: /parcel/view'), '/parcel/view/1')).toBe(true)
  expect(isAllowed(all('Allow: /parcel', 'Disallow: /parcel/view'), '/parcel/view/1')).toBe(false)
  expect(isAllowed(all('Disallow: /page', 'Allow: /page'), '/page')).toBe(true)
})

test('groups that name the robot replace those for *, and several such groups are combined', () => {
  const text = `
    User-agent: other
    Disallow: /
    user-agent: Parcel-Data-Service/2
    Disallow: /one # not this
    Sitemap: https://county.example/sitemap.xml

    User-agent: *
    Disallow: /two
    User-agent: another
    User-agent: parcel-data-service
    Disallow: /three
    Crawl-delay: 2.5`
  expect(['/one', '/two', '/three', '/four'].map((path) => isAllowed(text, path))).toEqual([false, true, false, true])
  expect(parseRobots(text, AGENT).crawlDelayMs).toBe(2_500)
  expect(parseRobots(text, 'someone').isAllowed('https://county.example/two')).toBe(false)
})

test('without a group there are no rules; a delay of an hour is capped at a minute, and an invalid one is ignored', () => {
  expect(isAllowed('<html>no robots here</html>', '/a')).toBe(true)
  expect(isAllowed('Disallow: /', '/a')).toBe(true)
  expect(parseRobots(all('Crawl-delay: 3600'), AGENT).crawlDelayMs).toBe(60_000)
  expect(parseRobots(all('Crawl-delay: soon'), AGENT).crawlDelayMs).toBeNull()
})

test('500 KiB of rules full of wildcards are read and applied within 2 s', () => {
  const rule = `Disallow: /${'*a'.repeat(500)}b`
  const text = all(...Array.from({ length: 500 }, () => rule))
  const processorMs = startProcessorClock()
  const rules = parseRobots(text, AGENT)
  for (let time = 0; time < 10; time++) rules.isAllowed(`https://county.example/${'a'.repeat(2_000)}`)
  // A matcher that tries every position for every letter took minutes; this one takes some milliseconds.
  expect(processorMs()).toBeLessThan(2_000)
  const many = all(...Array.from({ length: 40_000 }, (_, index) => `Disallow: /${index}$`))
  expect(isAllowed(many, '/4999')).toBe(false)
  expect(isAllowed(many, '/39999')).toBe(true)
})
