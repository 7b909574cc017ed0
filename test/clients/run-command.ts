/** Runs a command and returns what it prints. If it fails, throws an error with all of its output. */
export const runCommand = async (
  command: readonly string[],
  { cwd = '.', env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> => {
  const child = Bun.spawn([...command], { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if (code !== 0) throw new Error(`${command.join(' ')}: code ${code}: ${out}${err}`)
  return out
}
