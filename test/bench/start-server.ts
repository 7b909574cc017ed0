/** A server in its own process. */
export type BenchServer = Pick<Bun.Subprocess, 'pid' | 'kill' | 'exited'>

/**
 * Starts a server and waits until it prints `ready`.
 *
 * @throws when it ends before that
 */
export const startServer = async (
  command: string[],
  { env = {}, ready }: { env?: Record<string, string>; ready: string },
): Promise<BenchServer> => {
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit', env: { ...process.env, ...env } })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  for (let text = ''; !text.includes(ready); ) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`${command.join(' ')} ended: ${text}`)
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return child
}
