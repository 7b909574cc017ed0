import { expect, test } from 'bun:test'

/** Formats a time in a process in this time zone. */
const formatIn = (zone: string, text: string): string[] => {
  const code = `
    import { formatStart, toDateField } from './src/web/app/format'
    console.log(JSON.stringify([formatStart(${JSON.stringify(text)}), toDateField(new Date(${JSON.stringify(text)}))]))`
  const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', code], { env: { ...process.env, TZ: zone } })
  expect(stderr.toString()).toBe('')
  return JSON.parse(stdout.toString())
}

test.each([
  ['America/Los_Angeles', '2026-12-01T08:00:00.000Z', ['Dec 1, 2026', '2026-12-01']],
  ['America/Los_Angeles', '2026-12-01T00:00:00Z', ['Nov 30, 2026, 16:00:00', '2026-11-30']],
  ['America/Los_Angeles', '2026-12-01', ['Nov 30, 2026, 16:00:00', '2026-11-30']],
  ['Asia/Tokyo', '2026-11-30T15:00:00.000Z', ['Dec 1, 2026', '2026-12-01']],
  ['Asia/Tokyo', 'soon', ['soon', '']],
])('the start of a list of changes is a day or a time of the viewer: %s, %s', (zone, text, shown) => {
  expect(formatIn(zone, text)).toEqual(shown)
})
