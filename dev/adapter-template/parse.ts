import type { ParcelFields, RawDocument, ReadParcel } from '../../adapters/adapter'
import { documentNamed } from '../../adapters/reading/document-named'
import { readPage } from '../../adapters/reading/page/read-page'
import type { Region } from '../../adapters/reading/region'
import { asOf, stampOf } from '../../adapters/reading/stamp'
import { present, readAddress, readDate, readMoney, readName, readText } from '../../adapters/reading/values'
import type { Sale, Scrape } from '../../adapters/scrape'

export const parseParcel = (documents: readonly RawDocument[]): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  const number = page.getBeside('Parcel number:').text

  const owner = readName(page.getBeside('Owner:').text)
  return {
    shownIds: [number],
    fields: present<ParcelFields>({
      ownerName: owner,
      ownerMailingAddress: readAddress(page.getBeside('Mailing address:').lines),
      situsAddress: readText(page.getBeside('Situs address:').text),
      assessedValue: readMoney(page.getBeside('Assessed value:').text),
    }),
    scrape: {
      parcel_number: number,
      ...stampOf(document),
      ...asOf(document, { footer: readDate(page.findLine('Data as of')) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        sale_history: readSales(page),
      }),
    },
  }
}

const readSales = (page: Region): Sale[] =>
  page.getTable(['Sold on', 'Price', 'Document'], { unless: 'No sales' }).rows.map((row) =>
    present<Sale>({
      sold_on: readDate(row.text('Sold on')),
      price: readMoney(row.text('Price')),
      document_number: readText(row.text('Document')),
    }),
  )
