import { TEXT } from '../bounds'

/** A field of an account. If a parcel has a field with the same meaning, the two have the same name. */
type AccountField = { description: string } & (
  | { type: 'text'; maxLength: number; example: string }
  | { type: 'money'; example: number }
)

/**
 * The fields of an account of a parcel: a row of the assessor's roll. A parcel can have many, such as the units of a condominium. All
 * are in the JSON of an account, in this order; those without a value are null.
 */
export const ACCOUNT_FIELDS = {
  account_id: { type: 'text', maxLength: TEXT.id, description: 'Id of the account in the roll.', example: 'R-20117' },
  unit: { type: 'text', maxLength: TEXT.code, description: 'Unit of a building.', example: '4B' },
  owner_name: {
    type: 'text',
    maxLength: TEXT.name,
    description: 'The owner, as the roll writes it. A search for it finds the parcel.',
    example: 'JUNIPER ADA',
  },
  owner_mailing_address: {
    type: 'text',
    maxLength: TEXT.address,
    description: 'Mailing address of the owner.',
    example: 'PO BOX 12, WILLOWBROOK OR 97000',
  },
  situs_address: {
    type: 'text',
    maxLength: TEXT.address,
    description: 'Street address of the account.',
    example: '123 N ALDER ST UNIT 4B',
  },
  land_use_class: {
    type: 'text',
    maxLength: TEXT.label,
    description: 'Land use, as the roll classifies it.',
    example: 'CONDOMINIUM',
  },
  assessed_value: { type: 'money', description: 'Assessed value, in whole dollars.', example: 350_000 },
  value_land: { type: 'money', description: 'Value of the land, in whole dollars.', example: 120_000 },
  value_improvement: { type: 'money', description: 'Value of the buildings, in whole dollars.', example: 230_000 },
} as const satisfies Record<string, AccountField>

export type AccountFieldName = keyof typeof ACCOUNT_FIELDS
export const ACCOUNT_FIELD_NAMES = Object.keys(ACCOUNT_FIELDS) as AccountFieldName[]

/** An account as it is stored, and as the API returns it. */
export type ParcelAccount = {
  [Name in AccountFieldName]: ((typeof ACCOUNT_FIELDS)[Name]['type'] extends 'money' ? number : string) | null
}

/** Accounts of one parcel. The largest buildings have some thousands of units. */
export const MAX_ACCOUNTS = 10_000
