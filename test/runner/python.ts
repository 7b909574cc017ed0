/** A Python with these modules; null: there is none. A Python from a version manager does not see the packages of Debian. */
export const findPython = (...modules: string[]): string | null => {
  const program = `import importlib.util, sys; sys.exit(not all(importlib.util.find_spec(name) for name in sys.argv[1:]))`
  return (
    ['/usr/bin/python3', 'python3'].find((python) => {
      if (Bun.which(python) === null) return false
      return Bun.spawnSync([python, '-c', program, ...modules], { stderr: 'ignore' }).exitCode === 0
    }) ?? null
  )
}
