import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { findProblem } from '../../../core/schema/schema-problem'

test('numbers and booleans in a query string may be text', () => {
  const query = t.Object({ limit: t.Numeric({ minimum: 1, maximum: 50 }), page: t.Integer(), deep: t.BooleanString() })
  expect(findProblem(query, { limit: '5', page: '2', deep: 'true' }, '')).toBeNull()
  expect(findProblem(query, { limit: '51', page: '2', deep: 'true' }, '')).toBe('limit must be a number from 1 to 50')
  expect(findProblem(query, { limit: '5', page: '2.5', deep: 'true' }, '')).toBe('page must be a whole number')
  expect(findProblem(query, { limit: '5', page: '2', deep: 'yes' }, '')).toBe('deep must be true or false')
  expect(findProblem(query, { limit: ' ', page: '2', deep: 'true' }, '')).toContain('limit must be a number')
})

test('a schema that takes text or numbers takes any text', () => {
  const id = Type.Object({ id: Type.Union([Type.String({ minLength: 1 }), Type.Integer()]) })
  expect(findProblem(id, { id: 'R-0417' }, '')).toBeNull()
  expect(findProblem(id, { id: 417 }, '')).toBeNull()
  expect(findProblem(id, { id: 4.5 }, '')).toBe('id must be text or a whole number')
  expect(findProblem(id, { id: '' }, '')).toBe('id must be text or a whole number')
})

test('a schema of a number or null does not take text', () => {
  const total = Type.Object({ total: Type.Union([Type.Integer(), Type.Null()]) })
  expect(findProblem(total, { total: null }, '')).toBeNull()
  expect(findProblem(total, { total: '5' }, '')).toBe('total must be a whole number or null')
})

test('a map names the key whose value is wrong, and a text says its form', () => {
  const columns = Type.Object({
    columns: Type.Record(Type.String(), Type.Union([Type.Literal('owner'), Type.Literal('address')])),
  })
  expect(findProblem(columns, { columns: { Name: 'owner' } }, 'body')).toBeNull()
  expect(findProblem(columns, { columns: { Name: 'owner', Street: 'adress' } }, 'body')).toBe(
    'columns.Street must be one of owner, address',
  )
  expect(findProblem(Type.Object({ file: Type.String({ format: 'uuid' }) }), { file: 'x' }, '')).toBe(
    'file must be a UUID',
  )
  expect(
    findProblem(Type.Object({ layer: Type.String({ maxLength: 9, pattern: '^[a-z]*$' }) }), { layer: '!' }, ''),
  ).toBe('layer must be text of 0 to 9 characters that matches ^[a-z]*$')
})
