import { expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { type Environment, readConfig } from '../../src/config'
import { readStage } from './dockerfile'

const example = new Map(
  [...readFileSync('.env.example', 'utf8').matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)
const compose = readFileSync('compose.yaml', 'utf8')

/** The variables that the configuration asks for. */
const configured = (): Set<string> => {
  const asked = new Set<string>()
  const environment: Environment = {}
  readConfig(
    new Proxy(environment, {
      get: (_, name) => {
        asked.add(String(name))
        return undefined
      },
    }),
  )
  return asked
}

/** Those that are read past the configuration, wherever that is. A name in quotes is the bundler's. */
const readElsewhere = (): string[] =>
  globSync('{src,adapters,drizzle,search,tiles-build}/**/*.{ts,tsx}').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?<!['"])\b(?:process|Bun|import\.meta)\.env(?:\.|\[['"])(\w+)/g)].map(
      ([, name = '']) => name,
    ),
  )

/** Read by libraries: Bun's client of S3, for TILES_URL, and OpenTelemetry's SDK. */
const OF_LIBRARIES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_REGION',
  'AWS_ENDPOINT_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER_ARG',
]

/** Not the operator's to set: the system's own, and the number that a reader is given by the process that starts it. */
const OF_PROCESSES = ['PATH', 'LANG', 'TMPDIR', 'READER_OF']

const ofService = (): string[] =>
  [...new Set([...configured(), ...readElsewhere(), ...OF_LIBRARIES])].filter((name) => !OF_PROCESSES.includes(name))

test('.env.example names every variable that the service or compose.yaml reads, and no other', () => {
  const ofCompose = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name)
  expect(readElsewhere()).toContain('OTEL_TRACES_SAMPLER')
  expect([...example.keys()].sort()).toEqual([...new Set([...ofService(), ...ofCompose])].sort())
})

test('its defaults are those of the service', () => {
  const defaults = Object.fromEntries([...example].filter(([name]) => configured().has(name)))
  expect(readConfig(defaults)).toEqual(readConfig({}))
  const withoutDefault = Object.keys(defaults).filter((name) => defaults[name] === '')
  // Null, or made of others.
  expect(withoutDefault.sort()).toEqual([
    'ALLOW_PRIVATE_SOURCES',
    'CONTACT_URL',
    'CORS_ORIGINS',
    'DATABASE_URL',
    'MEILI_BIN',
    'MEILI_MASTER_KEY',
    'MEILI_URL',
    'METRICS_PORT',
    'OIDC_ALLOW_UNVERIFIED_EMAIL',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'OIDC_ISSUER',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'REDIS_URL',
    'REUSE_PORT',
    'SERVICE_API_KEYS',
  ])
})

test('its defaults are those of compose.yaml', () => {
  for (const [, name = '', given = ''] of compose.matchAll(/\$\{(\w+):-([^}]*)\}/g)) {
    expect([name, example.get(name)]).toEqual([name, given])
  }
})

test('what must be set for compose stands there to be filled in', () => {
  const required = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name)
  const open = [...readFileSync('.env.example', 'utf8').matchAll(/^(\w+)=$/gm)].map(([, name = '']) => name)
  expect(open.sort()).toEqual([...new Set(required)].sort())
})

test('containers are given every variable of the service: by image, by compose, or as it stands in .env', () => {
  const byImage = Object.keys(readStage('browser').environment)
  const service = compose.slice(compose.indexOf('x-environment'), compose.indexOf('services:'))
  const byCompose = [...service.matchAll(/^ +([A-Z_]+):/gm)].map(([, name = '']) => name)
  const ofEmbedded = ['MEILI_BIN']
  // Each container has its ports to itself.
  const ofOneMachine = ['REUSE_PORT']
  const given = new Set([...byImage, ...byCompose, ...ofEmbedded, ...ofOneMachine])
  expect(ofService().filter((name) => !given.has(name))).toEqual([])
})
