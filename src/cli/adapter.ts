import { parseArgs } from 'node:util'
import { loadAdapter } from '../../adapters/load-adapter'
import { ADAPTERS } from '../../adapters/registry'
import { acceptCases } from '../../dev/adapter-cases/accept-cases'
import { expectVendorSlug, layOutAdapter } from '../../dev/lay-out-adapter'
import { checkAdapters } from './adapter/check'
import { checkGoldenPages } from './adapter/check-golden'
import { configureFromCommand } from './adapter/configure'
import { crawlFromCommand } from './adapter/crawl'
import { exportFromCommand } from './adapter/export'
import { proveFromCommand } from './adapter/prove'
import { replayFromCommand } from './adapter/replay'
import { tryAdapter } from './adapter/try'
import { orUsageError, runCommand, UsageError } from './command/command'
import { readAction } from './command/read-action'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE = wrapUsage(`bun run adapter new VENDOR            create a folder for a vendor's adapter from the template
bun run adapter try VENDOR [options]  scrape one parcel, and print the Scrape, the fields not found, and the documents it used
  --config FILE     the county's vendor_config, as JSON
  --parcel ID       its source_parcel_id
  --base-url URL    the county's base_url (not needed with --page)
  --overrides JSON  overrides, as in the body of scrape-now: {"vendorKey": "41027"}
  --page FILE       read this file instead of requesting it: property.html is the document "property"; NAME=FILE names it. Can be repeated
  --save FOLDER     save the documents there, for --page or the fixtures of a new case
bun run adapter crawl SOURCE          scrape a whole source, if its vendor serves whole layers; continues an interrupted crawl
  --cancel          cancel its crawl instead
bun run adapter replay SOURCE         read the kept pages of a source with the current adapter, and print what that would change
  --parcel ID       only this parcel
  --since DATE      only pages from this date or time on
  --apply           store the changes
bun run adapter configure SOURCE      ask for the settings of a source, make a dry run of one parcel, and save them
bun run adapter prove SOURCE --parcel ID
                                      scrape one parcel, show what was read beside the labels of the page, and ask whether it is right
  --overrides JSON  as above
  --accept          confirm it without asking
bun run adapter export FOLDER [SOURCE...]
                                      write the golden pages of proved sources into a folder, without names, addresses and numbers
bun run adapter check [VENDOR...]     run every case in the fixtures, and print the fields that each vendor's pages show
  GOLDEN_PAGES      environment variable: a folder of exported golden pages to read again
bun run adapter accept VENDOR [CASE...]
                                      write the result into the cases without an \`expect\`, and into the named ones`)

const ACTIONS = {
  new: 'VENDOR',
  try: 'VENDOR',
  crawl: 'SOURCE',
  replay: 'SOURCE',
  configure: 'SOURCE',
  prove: 'SOURCE',
  export: 'FOLDER [SOURCE...]',
  check: '[VENDOR...]',
  accept: 'VENDOR [CASE...]',
}

const MISSING_PARCEL = '--parcel is missing: the source_parcel_id of a parcel'

const layOut = async (vendor: string): Promise<void> => {
  await orUsageError('', () => expectVendorSlug(vendor))
  const { folder, exportName } = layOutAdapter(vendor)
  console.log(`${folder}

Next:
- README.md, config.ts, fetch.ts, parse.ts: docs/adapters.md says how
- fixtures/: pages in the portal's shape, then bun run adapter accept ${vendor} CASE, and compare with the pages
- adapters/registry.ts: import { ${exportName} } from './vendors/${vendor}/adapter', and add it to VENDORS
- bun run adapter check ${vendor}; bun test test/adapters/fixtures.test.ts -t ${vendor}`)
}

const accept = async (vendor: string, names: string[]): Promise<void> => {
  const accepted = await acceptCases(await loadAdapter(vendor), names)
  if (accepted.length === 0) console.log('Every case has an expected result. Name the cases to overwrite.')
  for (const { file, expect } of accepted) console.log(`${file}\n${JSON.stringify(expect, null, 2)}\n`)
  if (accepted.length > 0) console.log('Compare each value with the pages. bun run lint:fix formats the files.')
}

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      config: { type: 'string' },
      parcel: { type: 'string' },
      'base-url': { type: 'string' },
      overrides: { type: 'string' },
      page: { type: 'string', multiple: true },
      save: { type: 'string' },
      since: { type: 'string' },
      apply: { type: 'boolean', default: false },
      accept: { type: 'boolean', default: false },
      cancel: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const { action, given } = readAction(positionals, ACTIONS, USAGE)
  const [vendor = '', ...names] = given
  if (action === 'check') {
    const adapters = given.length === 0 ? ADAPTERS : await Promise.all(given.map(loadAdapter))
    const isWell = await checkAdapters(adapters)
    const { GOLDEN_PAGES: folder } = process.env
    const isGoldenWell = folder === undefined || folder === '' || (await checkGoldenPages(folder, adapters))
    if (!isWell || !isGoldenWell) process.exitCode = 1
    return
  }
  if (action === 'export') return exportFromCommand(vendor, names)
  if (action === 'crawl') return crawlFromCommand(vendor, { cancel: values.cancel })
  if (action === 'configure') return configureFromCommand(vendor)
  if (action === 'replay') {
    const { parcel, since, apply } = values
    return replayFromCommand(vendor, { parcel, since, apply })
  }
  if (action === 'prove') {
    const { parcel, overrides, accept: isAccepted } = values
    if (parcel === undefined) throw new UsageError(MISSING_PARCEL)
    return proveFromCommand(vendor, { parcel, overrides, isAccepted })
  }
  if (action === 'new') await layOut(vendor)
  else if (action === 'accept') await accept(vendor, names)
  else {
    const { parcel, config, save, overrides, page: pages = [], 'base-url': baseUrl } = values
    if (parcel === undefined) throw new UsageError(MISSING_PARCEL)
    if (baseUrl === undefined && pages.length === 0) {
      throw new UsageError("--base-url is missing: the URL of the county's portal. Or read files with --page")
    }
    if (baseUrl !== undefined && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
      throw new UsageError(`--base-url takes a URL that begins with http:// or https://, not "${baseUrl}"`)
    await tryAdapter(await loadAdapter(vendor), { parcel, baseUrl, config, overrides, pages, save })
  }
})
