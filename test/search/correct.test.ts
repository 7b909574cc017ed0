import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { correctWords } from '../../search/query/correct'
import { reportedCorrection } from '../../search/query/correct-query'
import { editDistance } from '../../search/query/edit-distance'
import { createVocabulary } from '../../search/query/vocabulary'

const vocabulary = createVocabulary(
  Object.entries({
    smith: 900,
    smithers: 20,
    smythe: 5,
    john: 800,
    johnson: 300,
    harms: 3,
    tim: 40,
    barnett: 6,
    jason: 90,
    main: 500,
    zeng: 2,
    quillfeather: 1,
    '26th': 70,
    '2nd': 80,
    st: 400,
  }).map(([word, count]) => ({ word, count })),
)
const best = (q: string, done = true) =>
  correctWords(q.split(' '), done, vocabulary, { limit: 3 })[0]?.words.join(' ') ?? null

test.each([
  ['smiht john', 'smith john'],
  ['xmith john', 'smith john'],
  ['quilfeahter', 'quillfeather'],
  ['smithjohn', 'smith john'],
  ['smithxjohn', 'smith john'],
  ['joh nsmith', 'john smith'],
  ['jo hnson', 'johnson'],
  ['harmstmi', 'harms tim'],
  ['barenttj ason', 'barnett jason'],
  ['zmith 1064', 'smith 1064'],
  ['623ne main st', '623 ne main st'],
  ['636fe 26th st', '636 e 26th st'],
  ['194n e main st', '194 ne main st'],
  ['866 2ne main st', '8662 ne main st'],
  ['424 n2nd st', '424 n 2nd st'],
  ['417 e 266th st', '417 e 26th st'],
  ['417 e 2nnd st', '417 e 2nd st'],
  ['9smith st', '9 smith st'],
  ['12 main ste4', '12 main ste 4'],
])('"%s" is understood as "%s"', (q, expected) => {
  expect(best(q)).toBe(expected)
})

test('known words are not corrected, unless the search allows it', () => {
  expect(best('smith john')).toBeNull()
  const corrected = correctWords(
    ['meng', 'zeng'],
    true,
    createVocabulary([
      { word: 'meng', count: 9 },
      { word: 'zeng', count: 1 },
    ]),
    {
      limit: 5,
      correctKnownWords: true,
    },
  )
  expect(corrected.map(({ words }) => words.join(' '))).toContain('zeng zeng')
})

test('an ordinal is not corrected to a word that is none', () => {
  const options = { limit: 9, correctKnownWords: true }
  const words = createVocabulary(['st', '1st', '21st', 'main'].map((word) => ({ word, count: 300 })))
  const corrected = correctWords(['135', '1st', 'st'], true, words, options)
  expect(corrected.map((correction) => correction.words.join(' '))).not.toContain('135 st st')
  const withoutFirst = createVocabulary(['st', '21st', 'main'].map((word) => ({ word, count: 300 })))
  expect(correctWords(['135', '1st', 'st'], true, withoutFirst, options)[0]?.words).toEqual(['135', '21st', 'st'])
})

test('a word is not split if it would have a letter too many and another one misspelled', () => {
  const vocabulary = createVocabulary(['habitat', 'for', 'huma', 'ty'].map((word) => ({ word, count: 3 })))
  const corrected = correctWords(['habitat', 'for', 'humanity'], true, vocabulary, { limit: 5 })
  expect(corrected.map(({ words }) => words.join(' '))).toEqual(['habitat for humanity'])
})

test('a known word is also corrected to a similar one that is 200 times as frequent', () => {
  const withRare = (count: number) =>
    createVocabulary([
      { word: 'cambridge', count },
      { word: 'cambrige', count: 2 },
      { word: 'st', count: 500 },
    ])
  const correctionsOf = (q: string, count: number, done = true) =>
    correctWords(q.split(' '), done, withRare(count), { limit: 3 }).map(({ words }) => words.join(' '))
  expect(correctionsOf('cambrige st', 400)).toEqual(['cambridge st'])
  expect(correctionsOf('cambrige st', 399)).toEqual([])
  expect(correctionsOf('cambridge st', 400)).toEqual([])
  // As the beginning of a word, it has found the longer one already.
  const vocabulary = createVocabulary([
    { word: 'rosedale', count: 400 },
    { word: 'rosedal', count: 1 },
  ])
  expect(correctWords(['rosedal'], false, vocabulary, { limit: 3 })).toEqual([])
  expect(correctWords(['rosedal'], true, vocabulary, { limit: 3 })).toHaveLength(1)
})

test('the beginning of a word counts as known while it is being typed', () => {
  expect(best('john smit', false)).toBeNull()
  expect(best('john smit', true)).toBe('john smith')
})

test('a correction is reported only when no record has a replaced word', () => {
  const known = createVocabulary(['juniper', 'ada', 'aida', 'adamant'].map((word) => ({ word, count: 3 })))
  const words = (nameWords: string[], lastWordDone: boolean) => {
    return { nameWords, addressWords: nameWords, lastWordDone, beginsWithHouseNumber: false }
  }
  const typed = words(['jnuiper', 'aida'], true)
  expect(reportedCorrection(typed, ['juniper', 'aida'], known)).toBe('juniper aida')
  // Aida exists: the hit for Ada is similar and not a correction.
  expect(reportedCorrection(typed, ['juniper', 'ada'], known)).toBeNull()
  expect(reportedCorrection(typed, null, known)).toBeNull()
  // It may still become "adamant".
  expect(reportedCorrection(words(['juniper', 'adam'], false), ['juniper', 'ada'], known)).toBeNull()
  expect(reportedCorrection(words(['juniper', 'adam'], true), ['juniper', 'ada'], known)).toBe('juniper ada')
})

test('a correction of a number, an ordinal or an id is not reported', () => {
  const known = createVocabulary(['juniper', 'an', '4th', '6th'].map((word) => ({ word, count: 3 })))
  const report = (typed: string, correction: string) =>
    reportedCorrection(
      { nameWords: typed.split(' '), addressWords: typed.split(' '), lastWordDone: true, beginsWithHouseNumber: false },
      correction.split(' '),
      known,
    )
  expect(report('juniper 5th st', 'juniper 6th st')).toBeNull()
  expect(report('1n', 'an')).toBeNull()
  expect(report('365 juniper', '356 juniper')).toBeNull()
  // No record writes "apt" or "bnd", but both are words of addresses.
  expect(report('4th st apt 3', '4th st an 3')).toBeNull()
  expect(report('4th st bnd', '4th st 6th')).toBeNull()
  // Leaving a word out corrects nothing.
  expect(report('zzqx juniper', 'juniper')).toBeNull()
})

test('a correction that has little in common with what was typed is not reported', () => {
  const known = createVocabulary(['king', 'tom', 'hall', 'st', 'huss', 'juniper'].map((word) => ({ word, count: 3 })))
  const report = (typed: string, correction: string) =>
    reportedCorrection(
      { nameWords: typed.split(' '), addressWords: typed.split(' '), lastWordDone: true, beginsWithHouseNumber: false },
      correction.split(' '),
      known,
    )
  expect(report('kingdom hall', 'king tom hall')).toBeNull()
  expect(report('usps', 'huss')).toBeNull()
  expect(report('juniper sd', 'juniper st')).toBeNull()
  expect(report('hal juniper', 'hall juniper')).toBe('hall juniper')
  expect(report('jnuipre hall', 'juniper hall')).toBe('juniper hall')
  expect(report('kinghall', 'king hall')).toBe('king hall')
})

test('"boro" and "borough" at the end of a name are the same', () => {
  const towns = createVocabulary(['oaksboro', 'pineborough', 'hugh'].map((word) => ({ word, count: 3 })))
  const spell = (word: string) => correctWords([word], true, towns, { limit: 3 })[0]?.words.join(' ')
  expect(spell('oaksborough')).toBe('oaksboro')
  expect(spell('pineboro')).toBe('pineborough')
})

test('an unknown word is also the most frequent word that it abbreviates', () => {
  const streets = createVocabulary([
    { word: 'massachusetts', count: 300 },
    { word: 'massasoit', count: 2 },
    { word: 'moss', count: 9 },
    { word: 'zipfelmann', count: 2 },
    { word: 'ave', count: 900 },
  ])
  const spell = (words: string[], done: boolean) =>
    correctWords(words, done, streets, { limit: 3 })[0]?.words.join(' ') ?? null
  expect(spell(['mass', 'ave'], true)).toBe('massachusetts ave')
  expect(spell(['ave', 'mass'], false)).toBeNull()
  expect(spell(['zipfe', 'ave'], true)).toBe('zipfelmann ave')
  expect(spell(['zip', 'ave'], true)).not.toBe('zipfelmann ave')
  expect(streets.findCompletions('massachusetts')).toEqual([])
})

test('before the suffix of a street, the beginning of a word is likelier an abbreviation than a misspelling', () => {
  const streets = createVocabulary([
    { word: 'community', count: 400 },
    { word: 'commonwealth', count: 90, isStreet: true },
    { word: 'washington', count: 300 },
    { word: 'wash', count: 2 },
    { word: 'ash', count: 200 },
    { word: 'maple', count: 60 },
    { word: 'mapleton', count: 60 },
    { word: 'park', count: 90 },
    { word: 'parkside', count: 400 },
  ])
  const spell = (q: string, correctKnownWords = false) =>
    correctWords(q.split(' '), true, streets, { limit: 4, correctKnownWords }).map(({ words }) => words.join(' '))
  expect(spell('comm ave').slice(0, 2)).toEqual(['community ave', 'commonwealth ave'])
  expect(spell('comm people')).not.toContain('commonwealth people')
  // One record has "wash", and hundreds have "washington".
  expect(spell('wash st')).toEqual(['washington st'])
  expect(spell('wash people', true)).not.toContain('washington people')
  expect(spell('mapl st')[0]).toBe('maple st')
  expect(spell('park st')).toEqual([])
})

test('records with the known words are searched too if a word is in no record', () => {
  const [correction] = correctWords(['qwzzk', 'john'], true, vocabulary, { limit: 3 })
  expect(correction).toMatchObject({ words: ['qwzzk', 'john'], known: ['john'] })
})

test('a word is not replaced by a short one with which it shares half of its letters', () => {
  const short = createVocabulary(['and', 'ann', 'bark', 'banks'].map((word) => ({ word, count: 9 })))
  const corrected = correctWords(['bank'], true, short, { limit: 8, correctKnownWords: true })
  expect(corrected.map(({ words }) => words.join(' ')).sort()).toEqual(['banks', 'bark'])
})

test('without a vocabulary nothing is corrected', () => {
  expect(correctWords(['smiht'], true, createVocabulary([]), { limit: 3 })).toEqual([])
})

/** The distance by definition, without the shortcuts. */
const slowDistance = (a: string, b: string): number => {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1)
      const row = rows[i]
      if (row !== undefined) row[j] = least
    }
  }
  return at(a.length, b.length)
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 11 })

test('property: the distance is exact up to its limit', () => {
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, most) => {
      expect(editDistance(a, b, most)).toBe(Math.min(slowDistance(a, b), most + 1))
    }),
  )
})

test('property: the words within the distance are found, and no others', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 40 }), word, fc.integer({ min: 1, max: 2 }), (words, asked, most) => {
      const all = createVocabulary(words.map((one) => ({ word: one, count: 1 })))
      const found = all.findNeighbors(asked, most, 1_000).map(({ word: one }) => one)
      expect(found.toSorted()).toEqual(words.filter((one) => slowDistance(one, asked) <= most).toSorted())
    }),
  )
})

test('property: counts and prefixes match the entries, for any letters', () => {
  const anyWord = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '\u{FF5A}', '\u{1D5BA}'),
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(fc.uniqueArray(anyWord, { maxLength: 40 }), anyWord, (words, asked) => {
      const all = createVocabulary(words.map((one, index) => ({ word: one, count: index + 1 })))
      expect(all.countOf(asked)).toBe(words.indexOf(asked) + 1)
      expect(all.beginsWord(asked)).toBe(words.some((one) => one !== asked && one.startsWith(asked)))
    }),
  )
})
