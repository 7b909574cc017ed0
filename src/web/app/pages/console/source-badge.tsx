import type { SourceState } from '../../../../../core/sources/source-state'
import { Badge } from '../../ui/badge'

/** How pages show the state of a source. */
export const SOURCE_STATE_WORDS = {
  failing: { tone: 'bad', text: 'failing' },
  errors: { tone: 'warn', text: 'some errors' },
  overdue: { tone: 'warn', text: 'overdue' },
  ok: { tone: 'good', text: 'well' },
  inactive: { tone: 'plain', text: 'not active' },
} as const

/** The state of a source, as the health page and the coverage page show it. */
export const SourceBadge = ({ state }: { state: SourceState }) => (
  <Badge tone={SOURCE_STATE_WORDS[state].tone}>{SOURCE_STATE_WORDS[state].text}</Badge>
)

/** The tone of a row about a source; null: nothing is wrong. */
export const toneOfState = (state: SourceState): 'bad' | 'warn' | null => {
  const { tone } = SOURCE_STATE_WORDS[state]
  return tone === 'bad' || tone === 'warn' ? tone : null
}
