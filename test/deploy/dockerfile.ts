import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Instruction {
  name: string
  rest: string
}

/** What one stage of the Dockerfile says, what it is built on included. */
export interface Stage {
  instructions: Instruction[]
  environment: Record<string, string>
  entrypoint: string[]
  healthcheck: string[]
}

/** As much of a Dockerfile as ours uses (https://docs.docker.com/reference/dockerfile/). */
const readStages = (): Map<string, Instruction[]> => {
  const stages = new Map<string, Instruction[]>()
  let current: Instruction[] = []
  const text = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
  /** Of `ARG` before the first stage, as `docker build` without arguments has them. */
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

/** What .dockerignore lets into the image of what lies in the repository. */
const readIgnored = () => {
  const lines = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const allowed = new Set(lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1)))
  const refused = lines.filter((line) => !line.startsWith('!') && line !== '*').map((line) => new Bun.Glob(line))
  return (path: string) => !allowed.has(path.split('/')[0] ?? '') || refused.some((glob) => glob.match(path))
}

/**
 * Puts at `dir` what the image has at /app: what the stages COPY out of the context that .dockerignore leaves, and the
 * dependencies as the Dockerfile's own command installs them.
 */
export const layOutImage = async (stage: string, dir: string): Promise<void> => {
  const isIgnored = readIgnored()
  const copyAll = (instructions: Instruction[]) => {
    for (const { name, rest } of instructions) {
      if (name !== 'COPY' || rest.startsWith('--from=')) continue
      const paths = rest.split(' ')
      const to = paths.pop() ?? ''
      for (const path of paths) {
        if (isIgnored(path)) throw new Error(`.dockerignore keeps ${path} out, which the Dockerfile copies`)
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
