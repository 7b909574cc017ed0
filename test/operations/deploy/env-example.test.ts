import { expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { readConfig } from '../../../src/config'
import { listConfigured, OF_LIBRARIES } from '../../../src/operations/doctor/misspelled-variables'
import { readStage } from './dockerfile'

const example = new Map(
  [...readFileSync('.env.example', 'utf8').matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)
const compose = readFileSync('compose.yaml', 'utf8')

/** Variables that the code reads outside the configuration. A match in quotes is a definition for the bundler. */
const readElsewhere = (): string[] =>
  globSync('{core,src,adapters,drizzle,search,tiles-build}/**/*.{ts,tsx}').flatMap((file) => {
    const code = readFileSync(file, 'utf8')
    const named = code.matchAll(/(?<!['"])\b(?:process|Bun|import\.meta)\.env(?:\.|\[['"])(\w+)/g)
    const destructured = [...code.matchAll(/\{([^{}]*)\} = process\.env/g)].flatMap(([, names = '']) => [
      ...names.matchAll(/(?:^|,)\s*(\w+)/g),
    ])
    return [...named, ...destructured].map(([, name = '']) => name)
  })

/**
 * Operators do not set these: variables of the system, the process that a child process of the service ends with, the key that an agent's
 * program gives to `bun run mcp`, and the pages that a developer gives to `bun run adapter check`.
 */
const OF_PROCESSES = ['PATH', 'LANG', 'TMPDIR', 'PARENT_PID', 'SERVICE_KEY', 'GOLDEN_PAGES']

const ofService = (): string[] =>
  [...new Set([...listConfigured(), ...readElsewhere(), ...OF_LIBRARIES])].filter(
    (name) => !OF_PROCESSES.includes(name),
  )

test('.env.example names every variable that the service or compose.yaml reads, and no other', () => {
  const ofCompose = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
  expect(readElsewhere()).toEqual(expect.arrayContaining(['OTEL_TRACES_SAMPLER', ...OF_PROCESSES]))
  expect([...example.keys()].sort()).toEqual([...new Set([...ofService(), ...ofCompose])].sort())
})

test('the defaults in .env.example are those of the service', () => {
  const defaults = Object.fromEntries([...example].filter(([name]) => listConfigured().has(name)))
  expect(readConfig(defaults)).toEqual(readConfig({}))
  const withoutDefault = Object.keys(defaults).filter((name) => defaults[name] === '')
  // Their default is null or depends on other variables.
  expect(withoutDefault.sort()).toEqual([
    'ALLOW_PRIVATE_SOURCES',
    'ALLOW_PRIVATE_WEBHOOKS',
    'AWS_ENDPOINT_URL',
    'BASEMAP_URL',
    'CHANGES_KEEP',
    'CONTACT_URL',
    'CORS_ORIGINS',
    'DATABASE_READ_URLS',
    'DATABASE_URL',
    'MEILI_BIN',
    'MEILI_MASTER_KEY',
    'MEILI_URL',
    'MEILI_URLS',
    'METRICS_PORT',
    'OIDC_ALLOW_UNVERIFIED_EMAIL',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'OIDC_ISSUER',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
    'REDIS_URL',
    'REUSE_PORT',
    'SERVICE_API_KEYS',
  ])
})

test('the defaults in .env.example are those of compose.yaml', () => {
  for (const [, name = '', given = ''] of compose.matchAll(/\$\{(\w+):-([^}]*)\}/g)) {
    expect([name, example.get(name)]).toEqual([name, given])
  }
})

test('.env.example has an empty line for every variable that compose.yaml requires', () => {
  const required = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name)
  const open = [...readFileSync('.env.example', 'utf8').matchAll(/^(\w+)=$/gm)].map(([, name = '']) => name)
  expect(open.sort()).toEqual([...new Set(required)].sort())
})

test('containers get every variable of the service from the image, from compose.yaml or from .env', () => {
  const byImage = Object.keys(readStage('browser').environment)
  const service = compose.slice(compose.indexOf('x-environment'), compose.indexOf('services:'))
  const byCompose = [...service.matchAll(/^ +([A-Z_]+):/gm)].map(([, name = '']) => name)
  const ofEmbedded = ['MEILI_BIN']
  // Containers do not share ports.
  const ofOneMachine = ['REUSE_PORT']
  const given = new Set([...byImage, ...byCompose, ...ofEmbedded, ...ofOneMachine])
  expect(ofService().filter((name) => !given.has(name))).toEqual([])
})
