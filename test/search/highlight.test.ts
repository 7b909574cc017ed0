import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { highlightId, highlightText } from '../../search/rank/highlight'

const mark = (text: string, words: string, { done = true, foundHere = true } = {}) => {
  const list = words.split(' ')
  return highlightText(
    text,
    list.map((word, index) => ({ word, done: done || index < list.length - 1, foundHere })),
  )
}

test.each([
  ['SMITH JOHN A', 'john', 'SMITH <mark>JOHN</mark> A'],
  ['SMITH JOHN A', 'smyth', '<mark>SMITH</mark> JOHN A'],
  ['JUNIPER ADA', 'jnuiper', '<mark>JUNIPER</mark> ADA'],
  ['TESTERMANN JOHN', 'test', '<mark>TEST</mark>ERMANN JOHN'],
  ['123 N MAIN ST', '123 north street', '<mark>123</mark> <mark>N</mark> MAIN <mark>ST</mark>'],
  ['ACME INCORPORATED', 'inc', 'ACME <mark>INCORPORATED</mark>'],
  ["O'NEIL PAT", 'oneil', '<mark>O&#39;NEIL</mark> PAT'],
  ["O'NEIL PAT", 'o neil', '<mark>O</mark>&#39;<mark>NEIL</mark> PAT'],
  ['Estates, L.L.C.', 'llc', 'Estates, <mark>L.L.C</mark>.'],
  ['PEÑA LUZ', 'pena', '<mark>PEÑA</mark> LUZ'],
  [
    'BO & <script>alert(1)</script> "X"',
    'bo',
    '<mark>BO</mark> &amp; &lt;script&gt;alert(1)&lt;/script&gt; &quot;X&quot;',
  ],
  ['<SCRIPT>', 'script', '&lt;<mark>SCRIPT</mark>&gt;'],
])('%s, asked for %s: %s', (text, words, html) => {
  expect(mark(text, words)).toBe(html)
})

test('a word still being typed marks the beginnings of words, with the accents over them', () => {
  expect(mark('PEN\u0303A PENELOPE', 'pen', { done: false })).toBe('<mark>PEN\u0303</mark>A <mark>PEN</mark>ELOPE')
})

test('a word that was found in another field marks only equal words', () => {
  expect(mark('12 SMITH ST', 'smith', { foundHere: false })).toBe('12 <mark>SMITH</mark> ST')
  expect(mark('12 SMITHERS ST', 'smith', { foundHere: false })).toBeNull()
})

test('no word matches: null', () => {
  expect(mark('ELM', 'quillfeather')).toBeNull()
})

test.each([
  ['12-0001-0020', ['120001'], '<mark>12-0001</mark>-0020'],
  ['12-0001-0020', ['120', '00010020'], '12-<mark>0001-0020</mark>'],
  ['12-0001-0020', ['12120'], '<mark>12-0001-0020</mark>'],
  ['1S2E "5" <A>', ['5a'], '1S2E &quot;<mark>5&quot; &lt;A</mark>&gt;'],
  ['İ-1\u{1d7d9}', ['1'], 'İ-<mark>1</mark>\u{1d7d9}'],
  ['-', [], '<mark>-</mark>'],
])('the id %s, asked for %p: %s', (id, keys, html) => {
  expect(highlightId(id, keys)).toBe(html)
})

test('property: without its marks the HTML is the text, escaped', () => {
  const text = fc.array(
    fc.constantFrom('a', 'É', 'e\u0301', "o'neil", '<b>', '&amp;', '"', '  ', 'ß', '한글', '\u{1F600}'),
  )
  fc.assert(
    fc.property(
      text,
      fc.array(fc.constantFrom('a', 'e', 'o', 'oneil', 'b', 'ss', 'x')),
      fc.boolean(),
      (parts, words, done) => {
        const raw = parts.join(' ')
        const html = mark(raw, words.join(' '), { done })
        if (html !== null)
          expect(html.replace(/<\/?mark>/g, '')).toBe(Bun.escapeHTML(raw).replaceAll('&#x27;', '&#39;'))
      },
    ),
  )
})
