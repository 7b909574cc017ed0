import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Scrape, scrape } from './scrape'

// TypeBox has no built-in formats.
FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)))

/** Where a scrape violates the contract, each as a path and what it takes. */
export const listScrapeProblems = (value: Scrape): string[] =>
  [...Value.Errors(scrape, value)].map(({ path, message }) => `${path}: ${message}`)
