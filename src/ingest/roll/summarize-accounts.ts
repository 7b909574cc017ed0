import { MAX_OWNER_NAMES } from '../../../core/bounds'
import { ACCOUNT_FIELD_NAMES, ACCOUNT_FIELDS, type ParcelAccount } from '../../../core/parcels/accounts'
import { type FieldKey, fieldKey, isParcelField, type ParcelFieldName } from '../../../core/parcels/fields'
import type { ParcelInput } from '../../../drizzle/records'

/** The fields of a parcel that are derived from its accounts. */
export const SUMMARIZED_FIELDS = ACCOUNT_FIELD_NAMES.filter(isParcelField)

/**
 * Derives the fields of a parcel from its accounts. Values in dollars are added up. A text is used if all accounts with a text agree. If
 * they do not, or if a sum is too large to be exact, the parcel keeps its own value (`keeps`). All owners are in `ownerNamesAll`, up to MAX_OWNER_NAMES.
 */
export const summarizeAccounts = (
  accounts: readonly ParcelAccount[],
): { fields: Partial<ParcelInput>; keeps: ParcelFieldName[] } => {
  const fields: Partial<Record<FieldKey, unknown>> = {}
  const keeps: ParcelFieldName[] = []
  for (const name of SUMMARIZED_FIELDS) {
    const values = [...new Set(accounts.map((account) => account[name]).filter((value) => value !== null))]
    if (values.length === 0) continue
    const isMoney = ACCOUNT_FIELDS[name].type === 'money'
    const value = isMoney ? sum(accounts.map((account) => account[name])) : values[0]
    if (isMoney ? Number.isSafeInteger(value) : values.length === 1) fields[fieldKey(name)] = value
    else keeps.push(name)
    if (name === 'owner_name' && values.length > 1) {
      fields.ownerNamesAll = (values as string[]).sort().slice(0, MAX_OWNER_NAMES)
    }
  }
  return { fields: fields as Partial<ParcelInput>, keeps }
}

const sum = (values: readonly (string | number | null)[]): number =>
  values.reduce<number>((total, value) => total + (typeof value === 'number' ? value : 0), 0)
