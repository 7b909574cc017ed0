import { pgTable, text } from 'drizzle-orm/pg-core'

/** Random keys of the service, which all its processes share. They never leave it. */
export const serviceSecrets = pgTable('service_secrets', {
  /** What the key is for. */
  name: text().primaryKey(),
  secret: text().notNull(),
})
