import { ScrapeError } from '../scrape-error'
import type { Region } from './region'
import { wordsOf } from './text'

/**
 * Values beside labels on pages where only the words tell labels from values. When a value is missing, the next element may be the next
 * label. So `labels` must list all labels that the page can have.
 */
export class LabelledValues {
  readonly #page: Region
  readonly #labels: ReadonlySet<string>

  constructor(page: Region, labels: readonly string[]) {
    this.#page = page
    this.#labels = new Set(labels.map(wordsOf))
  }

  /** @throws ScrapeError `page_changed` naming the label that is missing or has no value */
  get(label: string): Region {
    return this.#valueOf(label, this.#page.getBeside(label))
  }

  /** Undefined: there is no such label. */
  find(label: string): Region | undefined {
    const value = this.#page.findBeside(label)
    return value && this.#valueOf(label, value)
  }

  #valueOf(label: string, value: Region): Region {
    if (!this.#labels.has(wordsOf(value.text))) return value
    throw new ScrapeError('page_changed', `"${label}" has another label beside it, "${value.text}"`)
  }
}
