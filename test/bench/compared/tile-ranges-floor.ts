/* The floor of `bench tile-ranges`: bare Bun.serve that returns slices of one file and reads only the Range header. */
const [file = '', port] = process.argv.slice(2)
const archive = Bun.file(file)
const sizeBytes = archive.size

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  development: false,
  fetch: (request) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
    return new Response(archive.slice(Number(first), Number(last) + 1), {
      status: 206,
      headers: { 'content-range': `bytes ${first}-${last}/${sizeBytes}` },
    })
  },
})
console.log('ready')
