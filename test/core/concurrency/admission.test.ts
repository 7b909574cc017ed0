import { expect, test } from 'bun:test'
import { createAdmission } from '../../../core/concurrency/admission'

test('a caller, and all callers together, can have only so many at the same time', () => {
  const { admit } = createAdmission({ what: 'streams', ofOne: 2, inAll: 3 })
  const leave = admit('ada')
  admit('ada')
  expect(() => admit('ada')).toThrow('this key or account already has 2 streams: close one')
  admit('bo')
  expect(() => admit('bo')).toThrow('there are too many streams: try again later')
  leave()
  admit('bo')
  expect(() => admit('cy')).toThrow('there are too many streams')
})

test('leaving twice counts once', () => {
  const { admit } = createAdmission({ what: 'streams', ofOne: 2, inAll: 2 })
  const leave = admit('ada')
  admit('ada')
  leave()
  leave()
  admit('ada')
  expect(() => admit('ada')).toThrow('already has 2 streams')
  expect(() => admit('bo')).toThrow('there are too many streams')
})
