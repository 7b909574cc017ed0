import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Scrape, scrape } from './scrape'

// TypeBox has no built-in formats.
FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)))

/** Violations of the contract in a scrape, each with its path and the accepted values. */
export const listScrapeProblems = (value: Scrape): string[] =>
  [...Value.Errors(scrape, value)].map(({ path, message }) => `${path}: ${message}`)
