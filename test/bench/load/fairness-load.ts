/** Clients that request one URL repeatedly until the process ends: bun fairness-load.ts URL KEY CLIENTS */
const [url = '', key = '', clients = '16'] = process.argv.slice(2)

let answered = 0
const client = async () => {
  for (;;) {
    const response = await fetch(url, { headers: { 'x-service-key': key } })
    await response.arrayBuffer()
    answered++
    if (answered === Number(clients)) console.log('under way')
    if (response.status !== 200) await Bun.sleep(100)
  }
}
await Promise.all(Array.from({ length: Number(clients) }, client))

export {}
