import { expect, test } from 'bun:test'
import { inputOf } from '../../scrape/review/review-input'
import { copySource } from './source-copy'

const source = copySource()

test('a new finding rule takes two files: the rule, and the list of rules', async () => {
  source.write(
    'src/scrape/review/rules/acreage-unknown.ts',
    `import type { Rule } from '../rule'

/** The county publishes no acreage for the parcel. */
export const acreageUnknown: Rule = {
  name: 'acreage-unknown',
  category: 'data-quality',
  suggestedAction: 'Ask the assessor for the acreage.',
  check: ({ parcel }) => (parcel.acreage === null ? [{ severity: 'info', evidence: { acreage: null } }] : []),
}
`,
  )
  source.edit(
    'src/scrape/review/review.ts',
    [
      "import { acreageAgainstArea } from './rules/acreage-against-area'\n",
      "import { acreageAgainstArea } from './rules/acreage-against-area'\nimport { acreageUnknown } from './rules/acreage-unknown'\n",
    ],
    ['  acreageAgainstArea,\n', '  acreageAgainstArea,\n  acreageUnknown,\n'],
  )
  expect(source.listChanges()).toEqual(['src/scrape/review/review.ts', 'src/scrape/review/rules/acreage-unknown.ts'])

  const { review } =
    await source.load<typeof import('../../../src/scrape/review/review')>('src/scrape/review/review.ts')
  expect(review(inputOf())).toEqual([])
  expect(review(inputOf({ parcel: { acreage: null } }))).toEqual([
    {
      rule: 'acreage-unknown',
      subject: '',
      severity: 'info',
      category: 'data-quality',
      evidence: { acreage: null },
      suggestedAction: 'Ask the assessor for the acreage.',
    },
  ])
})
