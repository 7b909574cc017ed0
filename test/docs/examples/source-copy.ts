import { afterAll, expect } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const FOLDERS = ['core', 'drizzle', 'src', 'adapters', 'search', 'tiles-build', 'dev', 'docs']
const FILES = ['package.json', 'tsconfig.json', 'drizzle.config.ts']
/** Pages of the vendors: 24 folders that no example needs. */
const FIXTURES = /^adapters\/vendors\/[^/]+\/fixtures$/

/**
 * A copy of the source without tests, in which an example adds something as a developer would. It is removed when the test file ends.
 */
export const copySource = () => {
  const dir = mkdtempSync(join(tmpdir(), 'source-copy-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const root = join(dir, 'copy')
  for (const path of [...FOLDERS, ...FILES]) {
    cpSync(path, join(root, path), { recursive: true, filter: (from) => !FIXTURES.test(from) })
  }
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))

  const write = (file: string, text: string): void => writeFileSync(join(root, file), text)

  return {
    /** A folder for other files of the test. */
    dir,
    root,
    write,
    /** Replaces every `before` in a file. Fails when there is none. */
    edit: (file: string, ...edits: [before: string, after: string][]): void => {
      let text = readFileSync(join(root, file), 'utf8')
      for (const [before, after] of edits) {
        expect(text).toContain(before)
        text = text.replaceAll(before, after)
      }
      write(file, text)
    },
    /** Runs a command in the copy. Fails with its output when it does. */
    run: (...command: string[]): void => {
      const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: root })
      expect({ exitCode, output: exitCode === 0 ? '' : `${stdout}${stderr}` }).toEqual({ exitCode: 0, output: '' })
    },
    /** Imports a module of the copy. Its types are those of the original. */
    load: <Module>(file: string): Promise<Module> => import(join(root, file)),
    /** Files of the copy that are new or differ from the original. */
    listChanges: (): string[] =>
      FOLDERS.flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
          .filter((file) => !existsSync(file) || !readFileSync(file).equals(readFileSync(join(root, file)))),
      ).toSorted(),
  }
}
