import type { Sale } from '../../../../adapters/scrape'
import { assessesAtFraction } from '../assessment-practice'
import { newestValuation } from '../newest'
import type { ReviewInput, Rule } from '../rule'

/** An older price says nothing about today's value. */
const RECENT_YEARS = 3
/** Lower prices on deeds are only a formality ("ten dollars and other consideration"). */
const NOMINAL_PRICE = 1_000
/** Deeds between relatives, partners and creditors: not a market price. */
const NOT_AT_MARKET =
  /quit ?-?claim|\bq(c|cd)\b|gift|trust|(?<!real )estate|executor|personal rep|divorce|correct|foreclos|sheriff|tax deed|trustee|love|interfamily|family|in lieu|\beasement\b/i

const FAR_ABOVE = 2
const FAR_BELOW = 0.5

const isAtMarket = ({ price = 0, deed_type = '', grantor, grantee }: Sale): boolean =>
  price > NOMINAL_PRICE && !NOT_AT_MARKET.test(deed_type) && (grantor === undefined || grantor !== grantee)

const findSale = ({ scrape, now }: ReviewInput): Sale | undefined => {
  const since = `${now.getUTCFullYear() - RECENT_YEARS}${now.toISOString().slice(4, 10)}`
  return (scrape.sale_history ?? [])
    .filter((sale) => (sale.sold_on ?? '') >= since)
    .toSorted((a, b) => ((a.sold_on ?? '') < (b.sold_on ?? '') ? 1 : -1))
    .find(isAtMarket)
}

/**
 * The value closest to the market value. A fraction or a cap lowers only the assessed value, so a higher total or sum of parts is used
 * instead. `isMarket` false: the value may be a fraction, so a higher price is no finding.
 */
const findValue = ({ parcel, scrape, state }: ReviewInput): { value: number; of: string; isMarket: boolean } | null => {
  const { total } = newestValuation(scrape.valuation_history) ?? {}
  const parts = (parcel.valueLand ?? 0) + (parcel.valueImprovement ?? 0)
  const assessed = parcel.assessedValue ?? 0
  const [value, of] = (
    [
      [total ?? 0, 'total'],
      [parts, 'parts'],
      [assessed, 'assessed_value'],
    ] as const
  ).reduce((best, candidate) => (candidate[0] > best[0] ? candidate : best))
  return value <= 0 ? null : { value, of, isMarket: value > assessed || !assessesAtFraction(state) }
}

/** The price of the last sale on the open market is more than twice, or less than half, the value. */
export const saleAgainstValue: Rule = {
  name: 'sale-against-value',
  category: 'valuation',
  suggestedAction:
    'Read the deed: does it cover several parcels or part of one, or is it not an open sale? Otherwise the assessment is wrong.',
  check: (input) => {
    const sale = findSale(input)
    const found = findValue(input)
    if (sale?.price === undefined || found === null) return []
    const ratio = sale.price / found.value
    if (ratio >= FAR_BELOW && (ratio <= FAR_ABOVE || !found.isMarket)) return []
    return [
      {
        severity: ratio > FAR_ABOVE * 2 || ratio < FAR_BELOW / 2 ? 'medium' : 'low',
        evidence: {
          sold_on: sale.sold_on,
          price: sale.price,
          value: found.value,
          value_is: found.of,
          ratio: round(ratio),
        },
      },
    ]
  },
}

const round = (ratio: number): number => Number(ratio.toPrecision(3))
