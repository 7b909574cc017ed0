import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Instruction {
  name: string
  rest: string
}

/** One stage of the Dockerfile, with the stages that it is built on. */
export interface Stage {
  instructions: Instruction[]
  environment: Record<string, string>
  entrypoint: string[]
  healthcheck: string[]
}

/** Reads the subset of the syntax that our Dockerfile uses (https://docs.docker.com/reference/dockerfile/). */
const readStages = (): Map<string, Instruction[]> => {
  const stages = new Map<string, Instruction[]>()
  let current: Instruction[] = []
  const text = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
  /** Defaults of each `ARG` before the first stage, as used by `docker build` without arguments. */
  const defaults = new Map<string, string>()
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (name === 'ARG') {
      const [variable = '', value = ''] = rest.split('=')
      defaults.set(variable, value)
    } else if (name === 'FROM') {
      const [, named = '', stage = ''] = /^(\S+) AS (\S+)$/.exec(rest) ?? []
      const image = named.replace(/^\$\{(\w+)\}$/, (_, variable) => defaults.get(variable) ?? '')
      current = [...(stages.get(image) ?? [{ name, rest: image }])]
      stages.set(stage, current)
    } else current.push({ name, rest })
  }
  return stages
}

const parseCommand = (rest: string | undefined): string[] => JSON.parse(/\[.*\]$/.exec(rest ?? '')?.[0] ?? '[]')

export const readStage = (stage: string): Stage => {
  const instructions = readStages().get(stage)
  if (instructions === undefined) throw new Error(`the Dockerfile has no stage ${stage}`)
  const last = (name: string) => instructions.findLast((instruction) => instruction.name === name)?.rest
  const pairs = instructions.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(' '))
  return {
    instructions,
    environment: Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])),
    entrypoint: parseCommand(last('ENTRYPOINT')),
    healthcheck: parseCommand(last('HEALTHCHECK')),
  }
}

/** Returns a function that returns whether .dockerignore excludes a path. */
const readIgnored = () => {
  const lines = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const allowed = new Set(lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)))
  const refused = lines.filter((line) => !line.startsWith('!') && line !== '*').map((line) => new Bun.Glob(line))
  return (path: string) => !allowed.has(path.split('/')[0] ?? '') || refused.some((glob) => glob.match(path))
}

/**
 * Creates in `dir` what the image has in /app: the files that the stages COPY from the context, except those in .dockerignore, and the
 * dependencies that the Dockerfile's command installs.
 */
export const layOutImage = async (stage: string, dir: string): Promise<void> => {
  const isIgnored = readIgnored()
  const copyAll = (instructions: Instruction[]) => {
    for (const { name, rest } of instructions) {
      if (name !== 'COPY' || rest.startsWith('--from=')) continue
      const paths = rest.split(' ')
      const to = paths.pop() ?? ''
      for (const path of paths) {
        if (isIgnored(path)) throw new Error(`the Dockerfile copies ${path}, but .dockerignore excludes it`)
        const place = to.endsWith('/') ? join(dir, to, path) : join(dir, to)
        mkdirSync(dirname(place), { recursive: true })
        cpSync(path, place, { recursive: true, filter: (source) => !isIgnored(source) })
      }
    }
  }
  const dependencies = readStage('dependencies').instructions
  copyAll(dependencies)
  for (const { rest } of dependencies.filter(({ name }) => name === 'RUN')) {
    const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', rest], { cwd: dir })
    if (exitCode !== 0) throw new Error(`${rest}: ${stderr}`)
  }
  copyAll(readStage(stage).instructions)
}
