import { ACCOUNT_FIELD_NAMES, ACCOUNT_FIELDS, type ParcelAccount } from '../../../core/parcels/accounts'
import { PARCEL_TEXT } from '../../../core/parcels/fields'
import type { Fields } from '../fields/fields'

/** The fields that a row of a roll can have: the id of its parcel, and the fields of an account. */
export const ROLL_FIELDS: Fields = {
  source_parcel_id: { key: 'sourceParcelId', type: 'id', maxLength: PARCEL_TEXT.source_parcel_id },
  ...Object.fromEntries(ACCOUNT_FIELD_NAMES.map((name) => [name, { key: name, ...ACCOUNT_FIELDS[name] }])),
}

/** A row of a roll after reading. Fields without a value are missing. */
export type RollRow = { sourceParcelId: string } & Partial<ParcelAccount>

/** The account with all its fields, in the order in which it is stored. */
export const toAccount = (row: Partial<ParcelAccount>): ParcelAccount =>
  Object.fromEntries(ACCOUNT_FIELD_NAMES.map((name) => [name, row[name] ?? null])) as ParcelAccount
