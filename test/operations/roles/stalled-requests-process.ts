export {}

/* Sends 1,000 requests that get no response, then another one, and prints its response. */
const server = Bun.serve({
  port: 0,
  fetch: (request) =>
    new URL(request.url).pathname === '/stalls' ? new Promise<Response>(() => {}) : new Response('answered'),
})
for (let sent = 0; sent < 1_000; sent++) fetch(`http://127.0.0.1:${server.port}/stalls`).catch(() => {})
while (server.pendingRequests < 250) await Bun.sleep(10)
console.log(await (await fetch(`http://127.0.0.1:${server.port}/`)).text())
process.exit(0)
