import type { DrainOptions } from '../watches/drain-receiver'
import { type CrawlRunnerDeps, createCrawlRunner } from './crawl-runner'
import { createExportRunner, type ExportRunnerDeps } from './export-runner'
import { createIngestRunner, createPreviewRunner, type FileRunnerDeps } from './ingest-runner'
import { createLoadRunner } from './load-runner'
import { createMatchRunner } from './match-runner'
import type { WorkRunner } from './runner'
import { createWebhookRunner } from './webhook-runner'

/** The kinds of work that the worker role does, one runner each. A new kind is added here. */
export const createRunners = ({
  databaseUrl,
  crawl,
  webhooks,
  exports,
  files,
}: {
  databaseUrl: string
  crawl: CrawlRunnerDeps
  webhooks: DrainOptions
  exports: ExportRunnerDeps
  files: FileRunnerDeps
}): WorkRunner[] => [
  createCrawlRunner(crawl),
  createLoadRunner(crawl),
  createIngestRunner(files),
  createPreviewRunner(files),
  createWebhookRunner(webhooks),
  createExportRunner(exports),
  createMatchRunner({ databaseUrl }),
]
