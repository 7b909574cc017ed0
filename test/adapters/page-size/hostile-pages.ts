const PARTS: Readonly<Record<string, () => string>> = {
  'a table of 1 MB': () =>
    `<table>${'<tr><td>Owner of record:</td><td>MARLOWE ROSE HOLLIS</td></tr>'.repeat(16_000)}</table>`,
  'a text of 1 MB': () => `<p>${'word '.repeat(200_000)}`,
  '10,000 nested elements': () => `${'<div>'.repeat(10_000)}Owner: <b>ROSE</b>`,
  '10,000 nested tables': () => '<table><tr><td>'.repeat(10_000),
  '10,000 misnested formats': () => '<b><i><a><font>'.repeat(2_500) + '<p>x</p>'.repeat(2_500),
  '1 MB of attributes': () => `<p ${Array.from({ length: 80_000 }, (_, at) => `data-${at}=1`).join(' ')}>x`,
  '1 MB of nothing but tags': () => '<br>'.repeat(250_000),
  'a million open brackets': () => '<'.repeat(1_000_000),
}

/** Pages that are expensive to read, by kind. They are complete, because a page without its end is not read at all. */
export const HOSTILE_PAGES: Readonly<Record<string, () => string>> = Object.fromEntries(
  Object.entries(PARTS).map(([name, write]) => [name, () => `${write()}</html>`]),
)
