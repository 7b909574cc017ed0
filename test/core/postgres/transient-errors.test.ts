import { expect, test } from 'bun:test'
import { describeTransient, isConnectionLost, isTransient } from '../../../core/postgres/transient-errors'

const failure = (code: string) => Object.assign(new Error('failed'), { code })

const LOST = [
  'CONNECTION_CLOSED',
  'CONNECT_TIMEOUT',
  'ANSWER_TIMEOUT',
  'ECONNREFUSED',
  '08000',
  '08006',
  '08P01',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25P03',
]
const BUSY = ['25006', '40001', '40003', '40P01', '55P03', '57014', '53000', '53100', '53200', '53400']
const FINAL = [
  '22P02',
  '23505',
  '23514',
  '40002',
  '42601',
  '42P01',
  '54000',
  '57P04',
  '28P01',
  '3D000',
  'CONNECTION_RELEASED',
  'UNDEFINED_VALUE',
  '53',
  '08',
]

test.each(LOST)('%s means that the database is unavailable and is transient', (code) => {
  expect([isConnectionLost(failure(code)), isTransient(failure(code))]).toEqual([true, true])
})

test.each(BUSY)('%s means that the database is busy and is transient', (code) => {
  expect([isConnectionLost(failure(code)), isTransient(failure(code))]).toEqual([false, true])
})

test('an error that an operator has to end says what the server lacks', () => {
  const described = ['ECONNREFUSED', '53100', '53200', '25006', '40P01'].map((code) => describeTransient(failure(code)))
  expect(described).toEqual([
    'the database is unavailable',
    'the disk of the database is full',
    'the database has no memory left',
    'the database accepts no writes',
    'the database is busy',
  ])
})

test.each(FINAL)('%s is not transient', (code) => {
  expect(isTransient(failure(code))).toBe(false)
})

test('errors that are not from the database are not transient', () => {
  for (const other of [new Error('08006'), { code: '40001' }, null, 'ECONNREFUSED'])
    expect(isTransient(other)).toBe(false)
})
