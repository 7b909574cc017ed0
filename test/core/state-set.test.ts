import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  ALL_STATES,
  describeStates,
  hasNoStates,
  hasState,
  intersectStates,
  NO_STATES,
  type StateSet,
  subtractStates,
  uniteStates,
} from '../../core/state-set'

const CODES = ['OR', 'WA', 'ME', 'ZZ']
const sets = fc.record<StateSet>({ codes: fc.subarray(CODES.slice(0, 3)), isExcept: fc.boolean() })

test('sets of states are united, intersected and subtracted state by state', () => {
  fc.assert(
    fc.property(sets, sets, fc.constantFrom(...CODES), (a, b, code) => {
      const [inA, inB] = [hasState(a, code), hasState(b, code)]
      expect(hasState(uniteStates(a, b), code)).toBe(inA || inB)
      expect(hasState(intersectStates(a, b), code)).toBe(inA && inB)
      expect(hasState(subtractStates(a, b), code)).toBe(inA && !inB)
      expect(hasNoStates(subtractStates(a, uniteStates(a, b)))).toBe(true)
    }),
  )
})

test('a set of states is described in words', () => {
  const west = { codes: ['WA', 'OR'], isExcept: false }
  const sets = [ALL_STATES, NO_STATES, west, subtractStates(ALL_STATES, west)]
  expect(sets.map(describeStates)).toEqual(['all', 'none', 'OR, WA', 'all but OR, WA'])
})
