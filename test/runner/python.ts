/** A Python with httpx; null: there is none. One that a version manager puts first does not see the packages of Debian. */
export const findPython = (): string | null =>
  ['/usr/bin/python3', 'python3'].find((python) => {
    if (Bun.which(python) === null) return false
    return Bun.spawnSync([python, '-c', 'import httpx'], { stderr: 'ignore' }).exitCode === 0
  }) ?? null
