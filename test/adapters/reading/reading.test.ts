import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import type { RawDocument, ScrapeTarget } from '../../../adapters/adapter'
import { readScrape } from '../../../adapters/read-scrape'
import { getParcelNumberIn } from '../../../adapters/reading/get-parcel-number-in'
import { expectPage } from '../../../adapters/reading/page/expect-page'
import { expectParcel } from '../../../adapters/reading/page/expect-parcel'
import { readPage } from '../../../adapters/reading/page/read-page'
import { watchReading } from '../../../adapters/reading/page/reading-report'
import { saysNothingFound } from '../../../adapters/reading/page/says-nothing-found'
import { readJson } from '../../../adapters/reading/read-json'
import type { Region } from '../../../adapters/reading/region'
import { stampOf } from '../../../adapters/reading/stamp'
import {
  readAcres,
  readAddressBelow,
  readCityStateZip,
  readCount,
  readDate,
  readDateBefore,
  readLastDate,
  readMoney,
  readMoneyTotal,
  readName,
  readNames,
  readNumber,
  readPercent,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
  readYearIn,
} from '../../../adapters/reading/values'
import { ScrapeError } from '../../../adapters/scrape-error'
import { ringsToMultiPolygon } from '../../../adapters/vendors/arcgis-rest/esri-rings'
import { fixture } from '../../../adapters/vendors/fixture/adapter'
import { startProcessorClock } from '../../support/processor-clock'

const document = (body: string): RawDocument => ({
  name: 'property',
  url: 'https://portal.example/',
  status: 200,
  headers: { 'content-type': 'text/html' },
  body,
  fetchedAt: '2026-01-02T03:04:05.678Z',
})
const page = (body: string) => readPage([document(`${body}</html>`)], 'property')

test('the link of a cell is an address that works outside of the page, or nothing', () => {
  const linkOf = (...hrefs: string[]) =>
    page(`<table><tr><td>${hrefs.map((href) => `<a href="${href}">1204/88</a>`).join('')}</td></tr></table>`).get(
      'td',
      'a cell',
    ).link
  expect(linkOf('https://recorder.example/deeds/88')).toBe('https://recorder.example/deeds/88')
  expect(linkOf('deeds/88', '#')).toBe('https://portal.example/deeds/88')
  expect(linkOf('/deeds/88', 'https://portal.example/deeds/88')).toBe('https://portal.example/deeds/88')
  for (const href of [
    '#',
    '#deed',
    '',
    'javascript:open(88)',
    'mailto:a@b.example',
    'https://me:secret@b.example/',
    '/%zz',
  ])
    expect([href, linkOf(href)]).toEqual([href, undefined])
  expect(linkOf(`/${'a'.repeat(2_000)}`)).toBeUndefined()
  // Which of them is the document is not known.
  expect(linkOf('/deeds/88', '/maps/88')).toBeUndefined()
})

describe('a value beside its label', () => {
  test.each([
    ['the next cell', '<table><tr><td>Owner:</td><td>ROSE<br>MARLOWE</td><td>Acres:</td><td>2</td></tr></table>'],
    ['with a formatted label', '<table><tr><td><a><b> owner</b></a> </td><td>ROSE<br>MARLOWE</td></tr></table>'],
    ['a description list', '<dl><dt>Owner</dt><dd>ROSE<p>MARLOWE</p></dd></dl>'],
    ['the next element', '<div><span class=l>Owner :</span><span>ROSE<br>MARLOWE</span></div>'],
    ['cells without end tags', '<table><tr><td>Owner:<td>ROSE<br>MARLOWE<tr><td>Acres:<td>2</table>'],
    ['no-break blanks', '<table><tr><td>&nbsp;Owner:&nbsp;</td><td>&nbsp;ROSE<br>MARLOWE</td></tr></table>'],
  ])('%s', (_, html) => {
    expect(page(html).getBeside('Owner:').lines).toEqual(['ROSE', 'MARLOWE'])
  })

  test('a description is not the label of the next entry', () => {
    const html = '<dl><dt>Year</dt><dd>Total</dd><dt>2025</dt><dd>$5</dd></dl>'
    expect(page(html).findBeside('Total')).toBeUndefined()
    expect(page(html).getBeside('2025').text).toBe('$5')
  })

  test('an empty value is empty, not the next pair', () => {
    const html = '<table><tr><td>Owner:</td><td></td></tr><tr><td>Acres:</td><td>2</td></tr></table>'
    expect(page(html).getBeside('Owner:').text).toBe('')
    expect(page(html).getBeside('Acres').text).toBe('2')
    const divs = '<div><div>Owner:</div><div></div></div><div><div>Acres:</div><div>2</div></div>'
    expect(page(divs).getBeside('Owner:').text).toBe('')
    const lost = '<table><tr><td>Owner:</td><td>Acres:</td><td>2</td></tr></table>'
    expect(() => page(lost).getBeside('Owner:')).toThrow('no "Owner:" on the property page')
  })

  test('the lines after a label in its own cell, up to the next label', () => {
    const html = '<td><strong>Owner</strong>: ROSE<br>12 ELM ST<br><strong>Acres</strong> 2<br></td>'
    expect(page(`<table><tr>${html}</tr></table>`).getAfter('Owner')).toEqual(['ROSE', '12 ELM ST'])
    expect(page('<p>Last updated:  11/6/2019</p>').getLine('Last Updated:')).toBe('11/6/2019')
  })

  test('an error names what is missing and where it was searched for', () => {
    const within = page('<div id=a><b>Acres</b></div>').get('#a', 'Land')
    expect(() => within.getBeside('Owner:')).toThrow('no "Owner:" under "Land"')
    expect(() => within.getTable(['Year', 'Total'])).toThrow('no "Year" under "Land"')
    expect(() => page('').get('#a', 'Land')).toThrow(new ScrapeError('page_changed', 'no "Land" on the property page'))
  })

  test('the parents of all matches are found once each, in order', () => {
    const [one, other, ...more] = page(
      '<main><div>ROSE<img id=a><img id=b></div><div>FERN<img id=c></div><div><p><img id=d></p></div></main>',
    ).allAround('div > img')
    expect([one?.text, other?.text, more.length]).toEqual(['ROSE', 'FERN', 0])
  })

  test('scripts and styles are not text, and no script runs', () => {
    const html =
      '<script>globalThis.ran = true; document.write("<b>Owner:</b>")</script><style>b{}</style><p onclick="x()">here</p>'
    expect(page(html).text).toBe('here')
    expect(globalThis).not.toHaveProperty('ran')
  })
})

describe('a table by its headings', () => {
  const sales = `<table><tr><td>layout<table id=sales>
    <tr><th colspan=3>Sales</th></tr>
    <tr><th>Date</th><th>Price</th><th>Grantor</th></tr>
    <tr><td>1/2/2019</td><td>$5</td><td>ROSE</td></tr>
    <tr><td colspan=3>&nbsp;</td></tr>
    <tr><td colspan=3>Second page</td></tr>
    <tr><th>Date</th><th>Price</th><th>Grantor</th></tr>
    <tr><td rowspan=2>3/4/2018</td><td>$6</td><td>HOLLIS</td></tr>
    <tr><td>$7</td><td>HOLLIS</td></tr>
    </table></td></tr></table>`

  test('its rows without titles, blank rows and repeated headings; a spanning cell is in every column', () => {
    const { rows } = page(sales).getTable(['Price', 'Date'])
    expect(rows.map((row) => [row.text('Date'), row.text('price:'), row.text('Grantor'), row.text('Deed')])).toEqual([
      ['1/2/2019', '$5', 'ROSE', undefined],
      ['3/4/2018', '$6', 'HOLLIS', undefined],
      ['3/4/2018', '$7', 'HOLLIS', undefined],
    ])
  })

  test('a missing heading is named; a page that says that there are no entries has no rows', () => {
    expect(() => page(sales).getTable(['Date', 'Price', 'Deed'])).toThrow('no heading "Deed" on the property page')
    expect(page('<p>No sales on record.</p>').getTable(['Date'], { unless: 'no sales' }).rows).toEqual([])
  })

  test('a column is found by a word of its heading, wherever it is', () => {
    const words = { year: /\byear\b/, due: /\bbalance\b/, paid: /\bpaid\b/ }
    const read = (headings: string[], ...rows: string[][]) => {
      const lines = [headings, ...rows].map((cells) => `<tr><td>${cells.join('<td>')}`)
      const table = page(`<table>${lines.join('')}</table>`).getTableLike(words, ['year', 'due'])
      return table.rows.map((row) => [table.cell(row, 'year')?.text, table.cell(row, 'due')?.text])
    }
    expect(read(['Year', 'Tax', 'Balance due'], ['2025', '$9', '$4'])).toEqual([['2025', '$4']])
    expect(read(['BALANCE', 'Tax Year'], ['$4', '2025'], ['BALANCE', 'Tax Year'])).toEqual([['2025', '$4']])
    expect(() => read(['Year', 'Tax', 'Owed'], ['2025', '$9', '$4'])).toThrow(
      'is for due: it has "Year", "Tax", "Owed"',
    )
    expect(() => read(['Year', 'Balance', 'Old balance'], ['2025', '$4', '$1'])).toThrow(
      'the due of "property" may be "Balance" or "Old balance"',
    )
    expect(() => read(['Year', 'Balance'], ['2025', '$4', '$1'])).toThrow('a row of 3 cells under 2 headings')
  })

  test('a missing table is undefined, and a table without one of its headings is a changed page', () => {
    const sales = '<table><tr><th>Date</th><th>Grantor</th><th>Price</th></tr></table>'
    expect(page(sales).findTable(['Year', 'Land', 'Total'])).toBeUndefined()
    expect(() => page(sales).findTable(['Date', 'Grantor', 'Amount'])).toThrow(
      'no heading "Amount" on the property page',
    )
    // With so few headings, another table may have one of them.
    expect(page(sales).findTable(['Date', 'Amount'])).toBeUndefined()
  })

  test('a row with a missing cell is refused: its values would be under the wrong headings', () => {
    expect(() => page(sales.replace('<td>$5</td>', '')).getTable(['Date', 'Price'])).toThrow(
      'a row of 2 cells under 3 headings',
    )
  })
})

describe('whole pages only', () => {
  const read = (body: string, end?: string) => () =>
    readPage([document(body)], 'property', end === undefined ? {} : { end })

  test('a page without its end is refused before anything is read', () => {
    expect(read('<html><body><p>Acres: 2')).toThrow('the property page has no end')
    expect(
      read('<html><body><p>Acres: 2</body></HTML >\n<!-- served by 2 --><script>x("<div>")</script>'),
    ).not.toThrow()
    expect(read('<html><body><p>Acres: 2<div id=footer></div>', 'id=footer')).not.toThrow()
    expect(read('<html><body><p>Acres: 2</body></html>', 'id=footer')).toThrow('no "id=footer"')
  })

  test('the end of a page within the page, or in a script or a comment, is not its end', () => {
    expect(read('<html><p>menu</html><table><tr><td>Acr')).toThrow('has no end')
    expect(read('<html><script>write("</html>")</script><p>Acres')).toThrow('has no end')
    expect(read('<html><!-- </html> --><p>Acres')).toThrow('has no end')
  })
})

describe('a page in place of the requested one, with status 200', () => {
  const codeOf = (body: string): string | null => {
    try {
      expectPage({ ...document(body), headers: {} })
      return null
    } catch (error) {
      return (error as ScrapeError).code
    }
  }

  test.each([
    ['blocked', "<h1>Access Denied</h1>You don't have permission to access this page."],
    ['blocked', 'Our systems have detected unusual traffic from your network.'],
    ['blocked', 'Please verify you are a human'],
    ['blocked', '<h1>Sorry, you have been blocked</h1>'],
    ['blocked', 'Request unsuccessful. Incident ID: 7'],
    ['maintenance', 'We are performing scheduled maintenance and will be back soon.'],
  ])('%s: %s', (code, text) => {
    expect(codeOf(`<html><body>${text}</body></html>`)).toBe(code)
    const record = `<table><tr><td>Notes</td><td>${text}</td></tr></table>`
    if (code === 'blocked') expect(codeOf(`<html><body>${record}</body></html>`)).toBeNull()
    expect(codeOf(`<html><body>${text} ${'word '.repeat(300)}</body></html>`)).toBeNull()
  })

  test.each([
    'No records found.',
    'Your search returned 0 results',
    'Parcel not found',
    'There were no matching properties',
    'Nothing found to display.',
    'The parcel number you entered does not exist.',
    'No data available in table',
    'Invalid parcel number.',
    'Unable to locate the requested property',
    'We could not find this parcel',
  ])('that says that nothing was found: %s', (text) => {
    expect(saysNothingFound(page(`<p>${text}</p>`))).toBe(true)
    expect(saysNothingFound(page('<p>Parcel number</p><p>12-0345</p>'))).toBe(false)
  })

  test('without any number is a changed page, and with other numbers another parcel', () => {
    const target = { sourceParcelId: '12-7', overrides: {} } as ScrapeTarget
    expect(getParcelNumberIn(page('<p>Parcel: 12-7</p>'), target)).toBe('12-7')
    expect(() => getParcelNumberIn(page('<p>Sign in</p>'), target)).toThrow(
      expect.objectContaining({ code: 'page_changed', message: 'no number on the property page' }),
    )
    expect(() => getParcelNumberIn(page('<p>Parcel: 12-8</p>'), target)).toThrow(
      expect.objectContaining({ code: 'wrong_parcel' }),
    )
  })
})

test('no page is recognized as that of a parcel whose id has no letter or digit, and the error says so', () => {
  expect(() => expectParcel('7', '!!!')).toThrow('"!!!" has no letter or digit')
})

test('a validator that is too long to be stored is left out', () => {
  const headers = { etag: `"${'x'.repeat(3_000)}"`, 'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT' }
  expect(stampOf({ ...document('x'), headers })).toEqual({
    fetched_at: document('x').fetchedAt,
    http_last_modified: headers['last-modified'],
  })
})

describe('text that a visitor cannot see is not read as a value', () => {
  test.each([
    ['a script', '<script>var id = 7</script>'],
    ['a style', '<style>b{}</style>'],
    ['a template', '<template>7</template>'],
    ['a noscript', '<noscript>7</noscript>'],
    ['a comment', '<!-- 7 -->'],
    ['a hidden input', '<input type="hidden" value="7">'],
    ['a hidden cell', '<td style="display: none">7</td>'],
  ])('%s is not the neighbor of a label', (_, hidden) => {
    const html = `<table><tr><td>Geographic ID:</td>${hidden}<td>0101</td></tr></table>`
    expect(page(html).getBeside('Geographic ID:').text).toBe('0101')
    const spans = `<div><b>Geographic ID:</b>${hidden.startsWith('<td') ? '<span hidden>7</span>' : hidden}<span>0101</span></div>`
    expect(page(spans).getBeside('Geographic ID:').text).toBe('0101')
  })

  test.each([
    'style="display:none"',
    'style="color:red; visibility : hidden"',
    'hidden',
    'aria-hidden="true"',
    'class="x sr-only"',
    'class="visually-hidden"',
    'class="d-none"',
    'class="badge hidden"',
    'style="position:absolute; left:-9999px"',
    'style="clip: rect(0, 0, 0, 0)"',
  ])('a span with %s is not part of a value', (attribute) => {
    const cell = page(`<table><tr><td>ID</td><td>0867<span ${attribute}>help</span></td></tr></table>`).getBeside('ID')
    expect([cell.text, cell.shortText, cell.lines, cell.pieces.join('')]).toEqual(['0867', '0867', ['0867'], '0867'])
  })

  test.each([
    ['d-none d-md-inline', 'd-md-none'],
    ['d-none d-lg-block', 'd-lg-none'],
    ['hidden md:inline', 'md:hidden'],
    ['hidden-xs', 'visible-xs-inline'],
  ])('a value that is once for wide screens (%s) and once for narrow ones (%s) is read once', (wide, narrow) => {
    const value = `<span class="${wide}">ROSE</span><span class="${narrow}">ROSE</span>`
    expect(page(`<table><tr><td>Owner</td><td>${value}</td></tr></table>`).getBeside('Owner').text).toBe('ROSE')
  })

  test.each([
    ['struck out', '<del>FERN</del> ', 'ROSE'],
    ['the title of an icon', '<svg><title>Copy</title></svg>', 'ROSE'],
    ['the fallback of a frame', '<iframe src="/map">Your browser has no frames</iframe>', 'ROSE'],
    ['suggestions', '<datalist><option>FERN</option></datalist>', 'ROSE'],
  ])('%s is not part of a value', (_, other, value) => {
    const html = `<table><tr><td>Owner</td><td>${other}${value}</td></tr></table>`
    expect(page(html).getBeside('Owner').text).toBe(value)
  })

  test('zero-width characters are removed and do not split words', () => {
    const html = '<table><tr><td>Ow&shy;ner</td><td>RO&#8203;SE&lrm; FE&#xfeff;RN&#8288;</td></tr></table>'
    expect(page(html).getBeside('Owner').text).toBe('ROSE FERN')
  })

  test.each([
    ['ROSE &amp;amp; FERN', 'ROSE & FERN'],
    ['ROSE &amp;amp;amp; FERN', 'ROSE & FERN'],
    ['PE&amp;Ntilde;A', 'PEÑA'],
    ['O&amp;rsquo;NEIL', 'O’NEIL'],
    ['1&amp;#47;2', '1/2'],
    ['A &amp;B; C&amp;D', 'A &B; C&D'],
  ])('text that was escaped again is unescaped: %s', (escaped, text) => {
    expect(page(`<table><tr><td>Owner</td><td>${escaped}</td></tr></table>`).getBeside('Owner').text).toBe(text)
  })

  describe('a hidden table beside one that is shown', () => {
    const shown = '<table><tr><td>Owner</td><td>ROSE</td></tr></table>'
    const owner = (html: string) => page(html).getBeside('Owner').text

    test('is left out if it says the same', () => {
      const copy = shown.replace('<table>', '<table hidden>')
      expect(page(`${copy}${shown}`).all('table')).toHaveLength(1)
      expect(page(`${shown}<div style="display: none">${copy}</div>`).all('table')).toHaveLength(1)
    })

    test('is a changed page if it has the same labels or shape, and other values', () => {
      const other = shown.replace('<table>', '<table hidden>').replace('ROSE', 'FERN')
      expect(() => owner(`${other}${shown}`)).toThrow('a hidden table beside a similar one has other values')
      expect(() => owner(`<div style="display:none">${other}</div>${shown}`)).toThrow('has other values')
    })

    test('is data if it has other labels, or its own heading', () => {
      const acres = '<table hidden><tr><td>Acres</td><td>2</td><td>3</td></tr></table>'
      expect(page(`${shown}${acres}`).getBeside('Acres').text).toBe('2')
      const other = shown.replace('<table>', '<table hidden>').replace('ROSE', 'FERN')
      expect(owner(`${shown}<h3>Before 2020</h3>${other}`)).toBe('ROSE')
    })
  })

  test('a table that is on the page twice is read once, unless each has its own id', () => {
    const table = '<table><tr><td>Tax</td><td>$5</td></tr></table>'
    expect(page(`${table}\n${table}`).all('table')).toHaveLength(1)
    expect(page(`<div>${table}</div><div class="print">${table}</div>`).all('table')).toHaveLength(1)
    expect(page(`${table}<h3>2024</h3>${table}`).all('table')).toHaveLength(2)
    const named = (id: string) => table.replace('<table', `<table id=${id}`)
    expect(page(`${named('appraised')}${named('assessed')}`).all('table')).toHaveLength(2)
  })

  test('superscript marks are not part of a value or label, superscript digits are not part of a number, and superscript letters are read', () => {
    const html =
      '<table><tr><td>Price<sup>1</sup></td><td>$5<sup>*</sup></td></tr><tr><td>1<sup>st</sup> half</td><td>$4<sup>50</sup></td></tr></table>'
    expect(page(html).getBeside('Price').text).toBe('$5')
    expect(page(html).getBeside('1st half').text).toBe('$4 50')
  })

  test('a collapsed section is data', () => {
    const html = '<div style="display:none"><table><tr><td>Acres:</td><td>2</td></tr></table></div>'
    expect(page(html).getBeside('Acres:').text).toBe('2')
  })
})

describe('lines', () => {
  test.each([
    '<pre>ROSE\n12 ELM ST</pre>',
    '<div style="white-space: pre-line">ROSE\n<b>12 ELM ST</b></div>',
    '<div class="whitespace-pre-line">ROSE\n12 ELM ST</div>',
    '<div style="white-space:pre-wrap"><span>ROSE\n12 ELM ST</span></div>',
  ])('newlines separate lines in %j', (html) => {
    expect(page(`<div id=a>${html}</div>`).get('#a', 'Owner').lines).toEqual(['ROSE', '12 ELM ST'])
    expect(page(html).find('span, b')?.lines.at(-1) ?? '12 ELM ST').toBe('12 ELM ST')
  })

  test('elsewhere newlines are blanks', () => {
    expect(page('<div id=a class="Normal">ROSE\nMARLOWE</div>').get('#a', 'Owner').lines).toEqual(['ROSE MARLOWE'])
    const reset = '<div style="white-space:pre-line"><p id=a style="white-space:normal">ROSE\nMARLOWE</p></div>'
    expect(page(reset).get('#a', 'Owner').lines).toEqual(['ROSE MARLOWE'])
  })

  test.each([
    [
      'two pairs in a row',
      '<tr><td>Owner</td><td>ROSE</td><td>City</td><td>X</td></tr><tr><td><b></b></td><td>FERN</td><td>State</td><td>MA</td></tr><tr><td>Address</td><td>12 ELM ST</td><td>Zip</td><td>0</td></tr>',
    ],
    [
      'a spacer row',
      '<tr><td>Owner</td><td>ROSE</td></tr><tr><td>&nbsp;</td><td>&nbsp;</td></tr><tr><td></td><td>FERN</td></tr><tr><td>Acres</td><td>2</td></tr><tr><td></td><td>3</td></tr>',
    ],
  ])('rows without a label continue the one above, up to the next label: %s', (_, rows) => {
    const values = page(`<table>${rows}</table>`).getValues('Owner')
    expect(values.map(({ text }) => text)).toEqual(['ROSE', 'FERN'])
  })

  test.each([
    [
      '<table><tr><td>Owner</td><td>ROSE</td><td>City</td><td>X</td></tr><tr><td> FERN</td><td>State</td><td>MA</td></tr></table>',
      'a row of 3 cells among pairs',
    ],
    [
      '<dl><dt>Owner</dt><dd>ROSE</dd><dt>City</dt><dd>X</dd><dt></dt><dd>FERN</dd><dt>State</dt><dd>MA</dd></dl>',
      'a value without a label',
    ],
  ])('a text that may continue either of two values is refused: %s', (html, message) => {
    expect(() => page(html).getValues('Owner')).toThrow(message)
  })

  test('a second description continues the first', () => {
    const html = '<dl><dt>Owner</dt><dd>ROSE</dd><dd>FERN</dd><dt>Acres</dt><dd>2</dd></dl>'
    expect(
      page(html)
        .getValues('Owner')
        .map(({ text }) => text),
    ).toEqual(['ROSE', 'FERN'])
    expect(() => page(html).getValues('Situs')).toThrow('no "Situs"')
  })
})

test('the last of several dates is known only if all of them are', () => {
  expect(readLastDate(['2/14/2026', '9/25/2025'])).toBe('2026-02-14')
  expect(readLastDate(['2/14/2026', ''])).toBeUndefined()
  expect(readLastDate([])).toBeUndefined()
})

test('names are read only if the first one is not blank', () => {
  expect(readNames(['ROSE', '', 'FERN'])).toEqual(['ROSE', 'FERN'])
  expect(readNames(['', 'FERN'])).toEqual([])
})

test('text that a portal escaped twice is unescaped twice', () => {
  const html =
    '<table><tr><td>Owner</td><td>ROSE &amp;amp; SONS&amp;nbsp;</td></tr><tr><td>Use</td><td>&amp;nbsp;</td></tr></table>'
  expect(page(html).getBeside('Owner').text).toBe('ROSE & SONS')
  expect(readText(page(html).getBeside('Use').text)).toBeUndefined()
})

describe('labels whose exact words are not known', () => {
  const value = (...labels: string[]) =>
    page(
      `<table>${labels.map((label, at) => `<tr><td>${label}</td><td>${at}</td></tr>`).join('')}</table>`,
    ).findBesideLike('Assessed Value')?.text

  test('equal, then begins with, then contains', () => {
    expect(value('Assessed Value Notes', 'Assessed Value:')).toBe('1')
    expect(value('Gross Assessed Value', 'Assessed Value (100%)')).toBe('1')
    expect(value('Total', 'Gross Assessed Value (100%):')).toBe('1')
    expect(value('Assessed Valuer')).toBeUndefined()
  })

  test('a row or a block around a label and its value is not a label, even if another follows it', () => {
    expect(value('Gross Assessed Value (100%):', 'Total')).toBe('0')
    const blocks = '<div><div><p>Gross Assessed Value</p><p>1</p></div><div><p>Total</p><p>2</p></div></div>'
    expect(page(blocks).findBesideLike('Assessed Value')?.text).toBe('1')
  })

  test('several labels that match equally well are an error that names them', () => {
    expect(() => value('Gross Assessed Value', 'Net Assessed Value')).toThrow(
      '"Assessed Value" may be "gross assessed value" or "net assessed value"',
    )
  })
})

describe('a list that cannot be read is not an empty list', () => {
  const valuations = (rows: string) =>
    page(`<table><tr><th>Year</th><th>Total</th></tr>${rows}</table>`)
      .getTable(['Year', 'Total'])
      .rows.flatMap((row) => {
        const year = readYear(row.text('Year'))
        const total = readMoney(row.text('Total'))
        return year === undefined || total === undefined ? [] : [{ year, total }]
      })

  test('if no row can be read, the page has changed', () => {
    expect(() => valuations('<tr><td>FY 24</td><td>$5</td></tr>')).toThrow('none of 1 rows of 2 cells')
    expect(valuations('<tr><td>FY 24</td><td>$5</td></tr><tr><td>2023</td><td>$4</td></tr>')).toEqual([
      { year: 2023, total: 4 },
    ])
    const entries = () =>
      page('<table><tr><th>Date</th><th>Price</th></tr><tr><td>soon</td><td>ask</td></tr></table>')
        .getTable(['Date', 'Price'])
        .rows.map((row) => ({ ...(readDate(row.text('Date')) && { sold_on: 1 }) }))
    expect(entries).toThrow('was understood')
  })

  test('headings without rows mean none, and so do rows of fillers and a year without values', () => {
    expect(valuations('')).toEqual([])
    expect(valuations('<tr><td>N/A</td><td>--</td></tr><tr><td>00/00/0000</td><td>&nbsp;</td></tr>')).toEqual([])
    expect(valuations('<tr><td>2027</td><td>N/A</td></tr>')).toEqual([])
  })

  test('a notice in place of the rows must say that there are none', () => {
    expect(valuations('<tr><td colspan=2>No values on record.</td></tr>')).toEqual([])
    expect(() => valuations('<tr><td colspan=2>Loading ...</td></tr>')).toThrow('"Loading ..." instead of rows')
  })
})

describe('a table with a column per year', () => {
  const read = (html: string) =>
    page(`<table id=v>${html}</table>`)
      .get('#v', 'Valuation')
      .getYearTable()
      .read({ land: /^(?:assessed )?land value$/, net: 'Net Assessed Value' })
      .map(({ year, heading, text }) => [year, heading, text('land'), text('net')])

  test('years with words, and a corner that is a td', () => {
    const head = '<tr><td></td><th>2025 Working Values</th><th>Tax Year<br>2024</th></tr>'
    expect(
      read(`${head}<tr><th>Land Value</th><td>$4</td><td>$3</td></tr><tr><th>Other</th><td>1</td><td>2</td></tr>`),
    ).toEqual([
      [2025, '2025 Working Values', '$4', undefined],
      [2024, 'Tax Year 2024', '$3', undefined],
    ])
  })

  test.each(['td', 'th'])('a column of signs is a cell; its head is a %s', (corner) => {
    const head = `<tr><${corner}></${corner}><${corner}></${corner}><th>2024</th></tr>`
    const rows =
      '<tr><td>+</td><th>Assessed Land Value</th><td>$4</td></tr><tr><td>=</td><th>Net Assessed Value</th><td>$9</td></tr>'
    expect(read(head + rows)).toEqual([[2024, '2024', '$4', '$9']])
  })

  test('no known label, no year, or a missing cell is a changed page, and no rows mean none', () => {
    const head = '<tr><th></th><th>2025</th><th>2024</th></tr>'
    expect(() => read(`${head}<tr><td>Ground</td><td>1</td><td>2</td></tr>`)).toThrow(
      'no known label under "Valuation", which has "ground"',
    )
    expect(() => read('<tr><th></th><th>Now</th></tr><tr><td>Land Value</td><td>1</td></tr>')).toThrow('no year among')
    expect(() => read(`${head}<tr><td>Land Value</td><td>1</td></tr>`)).toThrow('a row of 2 cells under 3 headings')
    expect(read(head)).toEqual([])
  })
})

describe('a list is empty only if the page says so', () => {
  const scrapeOf = (html: string, read: (body: Region) => unknown[]) => {
    const parcel_number = '7'
    const adapter = {
      ...fixture,
      parse: () => ({
        shownIds: ['7'],
        fields: {},
        scrape: { parcel_number, fetched_at: document('').fetchedAt, sale_history: read(page(html)) as [] },
      }),
    }
    const target = { ...{ source: 's', sourceParcelId: '7', baseUrl: '', state: 'OR', countyName: 'L' }, overrides: {} }
    const stored = { storedNumber: null, otherSpelling: null, validators: { etag: null, lastModified: null } }
    return readScrape(adapter, [], { ...target, ...stored }, { path: '' })
  }
  const table = '<table id=sales><tr><th>Date</th></tr></table>'

  test('otherwise the field is left out, with a warning', () => {
    const { scrape, report } = scrapeOf('<p>Sales</p>', (read) => read.all('tr.sale'))
    expect(scrape).not.toHaveProperty('sale_history')
    expect(report?.warnings).toEqual(['nothing on the page says that there are none: sale_history'])
  })

  test('words, headings without rows and a blank value say so', () => {
    expect(scrapeOf('<p>No sales.</p>', (read) => (read.says('no sales') ? [] : [1])).scrape.sale_history).toEqual([])
    expect(scrapeOf(table, (read) => read.getTable(['Date']).rows).scrape.sale_history).toEqual([])
    expect(scrapeOf(table, (read) => read.get('#sales', 'Sales').all('tr:has(td)')).scrape.sale_history).toEqual([])
    const blank = '<table><tr><td>Sales:</td><td>N/A</td></tr></table>'
    expect(scrapeOf(blank, (read) => (readText(read.getBeside('Sales').text) ? [1] : [])).scrape.sale_history).toEqual(
      [],
    )
  })
})

describe('a list that the page does not show whole is left out, so that it does not replace what is stored', () => {
  const SALES = ['Sold on', 'Price', 'Deed', 'Grantor', 'Grantee', 'Document']
  const head = `<tr>${SALES.map((heading) => `<th>${heading}</th>`).join('')}</tr>`
  const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  const sold = row('08/13/2009', '$134,000', 'WD', 'COLE', 'ROSE', '2009-7')
  /** The page of the fixture's full case, whose only empty list may be its sales. */
  const whole = readFileSync(`${import.meta.dir}/../../../adapters/vendors/fixture/fixtures/full/parcel.html`, 'utf8')
  const read = (rows: string) => {
    const body = whole.replace(/(<h2>Sales<\/h2>\s*<table>)[\s\S]*?(?=<\/table>)/, (_, before) => before + rows)
    const sourceParcelId = '12-0137-0140'
    const target = { ...{ source: 's', sourceParcelId, baseUrl: '', state: 'OR', countyName: 'L' }, overrides: {} }
    const stored = { storedNumber: null, otherSpelling: null, validators: { etag: null, lastModified: null } }
    return readScrape(fixture, [{ ...document(body), name: 'parcel' }], { ...target, ...stored }, { path: '' })
  }

  test.each([
    ['a blank row', row('&nbsp;', '', '', '', '', '')],
    ['a spacer row', '<tr><td colspan=6>&nbsp;</td></tr>'],
    ['rows without their values', row('', '', '', '', '', '').repeat(3)],
    ['a row of zeros', row('00/00/0000', '$0', '', '', '', '0')],
  ])('%s instead of the rows', (_, rows) => {
    const { scrape, report } = read(head + rows)
    expect(scrape).not.toHaveProperty('sale_history')
    expect(report?.warnings.join()).toStartWith('nothing on the page says that there are none:')
  })

  test('a row that was not understood, among others', () => {
    const { scrape, report } = read(head + sold + row('\ufffd', '\ufffd', '\ufffd', '\ufffd', '\ufffd', '\ufffd'))
    expect(scrape).not.toHaveProperty('sale_history')
    expect(scrape.exemptions).toHaveLength(2)
    expect(report?.warnings).toContain('a row under "Sales" was not understood, so the list is left out: sale_history')
  })

  test('headings alone mean none, and a spacer, a row of zeros or a total beside the rows means nothing', () => {
    expect(read(head).scrape.sale_history).toEqual([])
    const spacer = '<tr><td colspan=6></td></tr>'
    expect(read(head + spacer + sold + row('', '$0.00', '', '', '', '') + spacer).scrape.sale_history).toHaveLength(1)
    expect(
      page(
        `<table><tr><th>Year</th><th>Due</th></tr><tr><td>2025</td><td>$5</td></tr><tr><td>Total</td><td>$5</td></tr></table>`,
      )
        .getTable(['Year', 'Due'])
        .rows.flatMap((one) => readYear(one.text('Year')) ?? []),
    ).toEqual([2025])
  })
})

describe('the report of a reading', () => {
  const report = (body: string, read: (body: string) => unknown) =>
    watchReading(
      () => read(body),
      (text) => text === 'ROSE MARLOWE',
    ).report

  const html = `<table><tr><td>Owner:</td><td>ROSE</td></tr><tr><td>Zoning:</td><td>R-6</td></tr><tr><td>Use</td><td>7</td></tr>
    <tr><td>Note:</td><td></td></tr></table>
    <dl><dt>Acres</dt><dd>2</dd><dt>Flood zone</dt><dd>AE</dd></dl>
    <table><tr><th>Year</th><th>Total</th><th>Book</th></tr><tr><td>2024</td><td>$5</td><td>12</td></tr></table>
    <table><tr><td>ROSE MARLOWE</td><td>100%</td></tr></table><p>Last updated: <b>today</b></p>`

  test('lists labels and headings that nothing was read from, without values', () => {
    const { unread } = report(html, (body) => {
      const read = page(body)
      return [
        read.getBeside('Owner:').text,
        read.getBeside('Acres').text,
        read.getTable(['Year']).rows.map((row) => [row.text('Year'), row.text('Total')]),
      ]
    })
    expect(unread).toEqual(['Zoning:', 'Use', 'Flood zone', 'Book'])
  })

  test('is empty when everything was read', () => {
    const { unread } = report(
      '<table><tr><td>Owner:</td><td>ROSE</td></tr></table>',
      (body) => page(body).getBeside('Owner:').text,
    )
    expect(unread).toEqual([])
  })

  test('is bounded in number and length', () => {
    const rows = Array.from({ length: 300 }, (_, at) => `<tr><td>${'long '.repeat(9)}${at}:</td><td>1</td></tr>`)
    const { unread } = report(`<table>${rows.join('')}</table>`, page)
    expect(unread.length).toBe(100)
    for (const label of unread) expect(label.length).toBeLessThanOrEqual(60)
  })

  test('warns of a page in the wrong charset', () => {
    expect(report('<p>\u00c2\u00a0ROSE</p>', page).warnings).toEqual([
      'the property page was read in the wrong charset',
    ])
    // UTF-8 read as windows-1252: the second byte of a capital letter becomes a symbol.
    const bytes = new TextEncoder().encode('PEÑA')
    for (const name of [new TextDecoder('windows-1252').decode(bytes), 'P\u00c3\u0089REZ', 'O\u00e2\u20ac\u2122NEIL']) {
      expect([name, report(`<p>${name}</p>`, page).warnings]).toEqual([
        name,
        ['the property page was read in the wrong charset'],
      ])
    }
    expect(report('<p>R\ufffdSE</p>', page).warnings).toEqual([
      'the property page has characters that were not decoded',
    ])
    expect(report('<p>R\u00d4SE</p>', page).warnings).toEqual([])
  })
})

describe('hostile pages', () => {
  const megabyte = (unit: string) => unit.repeat(Math.ceil(1_000_000 / unit.length))
  test.each([
    ['1 MB of rows', megabyte('<tr><td class="a b">Owner:</td><td>Some &amp; Name</td></tr>')],
    ['1 MB of open tables', megabyte('<table><tr><td>')],
    ['1 MB of misnested formatting', megabyte('<b><p>')],
    ['1 MB of anchors in blocks', megabyte('<a><div>')],
    [
      '1 MB of fonts that are reopened',
      `${Array.from({ length: 240 }, (_, size) => `<p><font size=${size}></p>`).join('')}${megabyte('<p>x')}`,
    ],
    ['1 MB of nothing but opening brackets', megabyte('<')],
    ['1 MB of one attribute', `<p class="${megabyte('x')}">`],
    ['1 MB of attributes', `<p ${megabyte('a1 ')}>`],
    ['10,000 nested blocks', `${'<div>'.repeat(10_000)}x${'</div>'.repeat(10_000)}`],
    ['10,000 nested tables', '<table><tr><td>'.repeat(10_000)],
  ])('%s are read or refused within 2 s', (_, html) => {
    const processorMs = startProcessorClock()
    try {
      const read = page(html)
      read.findBeside('Owner:')
      read.findTable(['Owner'])
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      expect(['page_changed', 'too_large']).toContain(error.code)
    }
    expect(processorMs()).toBeLessThan(2_000)
  })

  test('any text is read, or refused with an error code', () => {
    const tags = fc.constantFrom(
      '<table>',
      '<tr>',
      '<td>',
      '</td>',
      '<b>',
      '</table>',
      '<select>',
      '<template>',
      '<svg>',
      '<form>',
      '<!--',
      '<',
      '&',
      'Owner:',
      'x',
      '<td colspan=9999999>',
      '<th rowspan=-1>',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: tags }, fc.string())), (parts) => {
        try {
          const read = page(parts.join(''))
          read.findBeside('Owner:')
          read.findAfter('Owner:')
          read.findTable(['Owner:', 'x'])
        } catch (error) {
          if (!(error instanceof ScrapeError)) throw error
        }
      }),
    )
  })
})

describe('values', () => {
  const each = <Value>(read: (text: string | undefined) => Value, table: [text: string, value: Value][]) =>
    test.each(table)(`${read.name} of %j is %j`, (text, value) => {
      expect(read(text)).toEqual(value)
    })

  each(readMoney, [
    ['$1,234.56', 1235],
    ['$ 1,234', 1234],
    ['1234', 1234],
    ['(1,200)', -1200],
    ['($1,200.50)', -1201],
    ['-$5', -5],
    ['$-5', -5],
    ['$0', 0],
    ['($0.00)', 0],
    ['N/A', undefined],
    ['', undefined],
    ['$', undefined],
    ['12,34', undefined],
    ['1.234,56', undefined],
    ['$5 per acre', undefined],
    ['99999999999999999', undefined],
  ])
  test('amounts are added before cents are rounded, and there is no sum when one cannot be read', () => {
    expect(readMoneyTotal(['($1,144.25)', '($1,143.75)'])).toBe(-2288)
    expect(readMoneyTotal(['$0.10', '$0.20', '$0.20'])).toBe(1)
    expect(readMoneyTotal(['$5', 'N/A'])).toBeUndefined()
    expect(readMoneyTotal([])).toBeUndefined()
  })
  each(readNumber, [
    ['.5', 0.5],
    ['1,234.5', 1234.5],
    ['1e5', undefined],
    ['(5', undefined],
    ['Infinity', undefined],
    ['9'.repeat(400), undefined],
  ])
  test.each([
    ['12 QUILL RD, LARKSPUR, IL 60999', ['12 QUILL RD', 'LARKSPUR, IL 60999']],
    ['RURAL ROUTE 2, LARKSPUR, IL 60999', ['RURAL ROUTE 2', 'LARKSPUR, IL 60999']],
    ['C/O ALDER BANK, PO BOX 7, LARKSPUR, IL 60999', ['C/O ALDER BANK', 'PO BOX 7', 'LARKSPUR, IL 60999']],
    ['% WREN A, PO BOX 7, LARKSPUR, IL 60999', ['% WREN A', 'PO BOX 7', 'LARKSPUR, IL 60999']],
    ['12 QUILL RD, APT 2, LARKSPUR, IL 60999', ['12 QUILL RD', 'APT 2', 'LARKSPUR, IL 60999']],
    [undefined, ['ALDER WREN', '12 QUILL RD', 'LARKSPUR, IL 60999']],
    [undefined, []],
  ])('the address below an owner is %j', (address, lines) => {
    expect(readAddressBelow(lines)).toEqual(address)
  })
  each(readCount, [
    ['2.5', 2.5],
    ['0', 0],
    ['-1', undefined],
  ])
  each(readDate, [
    ['11/6/2019 1:25 AM', '2019-11-06'],
    ['Nov  6 2019  1:25AM', '2019-11-06'],
    ['November 6, 2019', '2019-11-06'],
    ['Sept 6, 2019', '2019-09-06'],
    ['Wednesday, November 6, 2019', '2019-11-06'],
    ['08/May/2023', '2023-05-08'],
    ['06-NOV-2019', '2019-11-06'],
    ['6 Nov 2019', '2019-11-06'],
    ['Fri, 02 Jan 2026 03:04:05 GMT', '2026-01-02'],
    ['20191106', '2019-11-06'],
    ['2019-11-06T00:00:00', '2019-11-06'],
    ['2019/11/06', '2019-11-06'],
    ['2019-11/06', undefined],
    ['2/29/2020', '2020-02-29'],
    ['2/29/2019', undefined],
    ['13/1/2019', undefined],
    ['1/2/19', undefined],
    ['Foo 6 2019', undefined],
    ['2019', undefined],
    ['', undefined],
  ])
  test.each([
    ['02/07/17', '2017-02-07'],
    ['02/07/27', '1927-02-07'],
    ['11/24/26', '1926-11-24'],
    ['11/23/26', '2026-11-23'],
    ['06-NOV-25', '2025-11-06'],
    ['02/29/25', undefined],
    ['2/7/2017', '2017-02-07'],
    ['00/00/00', undefined],
  ])('readDateBefore of %j on a page of 2026-11-23 is %j', (text, date) => {
    expect(readDateBefore(text, '2026-11-23T03:04:05.678Z')).toBe(date as string)
  })
  each(readYearIn, [
    ['2025 Working Values', 2025],
    ['Tax Year 2024', 2024],
    ['2024 / 2024', 2024],
    ['(2024 - 2025)', undefined],
    ['$2,024', undefined],
    ['$2024', undefined],
    ['12024', undefined],
    ['', undefined],
  ])
  each(readText, [
    ['0', '0'],
    ['0/0', undefined],
    ['00/00/00', undefined],
    ['00/00/0000', undefined],
    ['--', undefined],
    ['N/A', undefined],
    ['\u00c2', undefined],
    ['\u00c2\u00a0', undefined],
    ['R\ufffdSE', undefined],
    ['1/2', '1/2'],
  ])
  each(readRecordingNumber, [
    ['0', undefined],
    ['0000', undefined],
    [' ', undefined],
    ['2019-0042', '2019-0042'],
  ])
  each(readAcres, [
    ['1,000,000,001', undefined],
    ['0.09 Acre(s)', 0.09],
    ['1,234.5 ac', 1234.5],
    ['12', 12],
    ['10,890 sqft', undefined],
    ['-1', undefined],
  ])
  each(readSquareFeet, [
    ['1,840 sq. ft.', 1840],
    ['1840.0 sqft', 1840],
    ['1840 SF', 1840],
    ['2 acres', undefined],
  ])
  each(readPercent, [
    ['100.0000000000%', 100],
    ['33.3 %', 33.3],
    ['101', undefined],
  ])
  each(readYear, [
    ['1987', 1987],
    ['0', undefined],
    ['1987-88', undefined],
  ])
  each(readName, [
    [' ROSE  MARLOWE &', 'ROSE MARLOWE'],
    ['; HOLLIS, DANIEL', 'HOLLIS, DANIEL'],
    ['N/A', undefined],
  ])
  each(readCityStateZip, [
    ['LARKSPUR, TX 78998-1204', { city: 'LARKSPUR', state: 'TX', zip: '78998-1204' }],
    ['ST ELMO OR 97601', { city: 'ST ELMO', state: 'OR', zip: '97601' }],
    ['12 ELM ST', { city: undefined, state: undefined, zip: undefined }],
  ])
})

describe('input beyond the bounds is refused before it is parsed', () => {
  const codeOf = (work: () => unknown): string | null => {
    try {
      work()
      return null
    } catch (error) {
      return error instanceof ScrapeError ? error.code : String(error)
    }
  }

  test('spans that make a table of millions of cells', () => {
    const cells = '<td colspan=1000 rowspan=65534>x</td>'.repeat(10_000)
    const table = `<table><tr><th>Year</th><th>Value</th></tr><tr>${cells}</tr>${'<tr></tr>'.repeat(200)}</table>`
    expect(codeOf(() => page(table).getTable(['Year', 'Value']))).toBe('too_large')
  })

  test('numbers that JSON does not have are null, and texts with their names stay', () => {
    const read = (body: string) => readJson([document(body)], 'property', Type.Unknown())
    expect(read('{"NaN":[NaN,-Infinity, 1e5],"a":"NaN, \\"Infinity"}')).toEqual({
      NaN: [null, null, 1e5],
      a: 'NaN, "Infinity',
    })
    expect(codeOf(() => read('[NaN'))).toBe('page_changed')
    expect(codeOf(() => read('[xNaN]'))).toBe('page_changed')
  })

  test('JSON with too deep nesting or too many values', () => {
    const read = (body: string) => codeOf(() => readJson([document(body)], 'property', Type.Unknown()))
    expect(read(`${'['.repeat(64)}"[[["${']'.repeat(64)}`)).toBeNull()
    expect(read('['.repeat(100_000))).toBe('too_large')
    expect(read(`[${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}]`)).toBe('too_large')
    expect(read(`[${'0,'.repeat(2_000_000)}0]`)).toBe('too_large')
    expect(read(`["${'\\"[,'.repeat(1_000_000)}"]`)).toBeNull()
    expect(read('{"a":')).toBe('page_changed')
  })

  test('too many rings and positions', () => {
    const square = (size: number) => [0, 1, 2, 3, 0].map((at) => [at > 1 ? size : 0, at === 1 || at === 2 ? size : 0])
    expect(codeOf(() => ringsToMultiPolygon(Array.from({ length: 30_000 }, (_, at) => square(at + 1))))).toBe(
      'too_large',
    )
    expect(codeOf(() => ringsToMultiPolygon([Array(120_000).fill([0, 0])]))).toBe('too_large')
    expect(codeOf(() => ringsToMultiPolygon(Array(5).fill(Array(30_000).fill([0, 0]))))).toBe('too_large')
  })
})
