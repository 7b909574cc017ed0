/** What an admin did, by method and path. `$1` is the first segment of the path that differs. */
const ACTIONS: readonly (readonly [method: string, path: RegExp, words: string, page?: string])[] = [
  ['POST', /^\/sources$/, 'Added a source'],
  ['PATCH', /^\/sources\/([^/]+)$/, 'Changed the source $1', '/app/console/sources/$1'],
  ['DELETE', /^\/sources\/([^/]+)$/, 'Retired the source $1', '/app/console/sources/$1'],
  ['POST', /^\/sources\/([^/]+)\/restore$/, 'Restored the source $1', '/app/console/sources/$1'],
  ['POST', /^\/sources\/([^/]+)\/dry-run$/, 'Made a dry run of the source $1', '/app/console/sources/$1'],
  ['POST', /^\/sources\/([^/]+)\/proof$/, 'Proved the source $1', '/app/console/sources/$1'],
  ['PATCH', /^\/sources\/([^/]+)\/unread-labels$/, 'Marked an unread label of $1', '/app/console/sources/$1'],
  ['PATCH', /^\/source-refresh-policies\/([^/]+)$/, 'Changed the refresh policy of $1', '/app/console/sources/$1'],
  ['POST', /^\/admin\/sources\/([^/]+)\/crawls$/, 'Started a crawl of $1', '/app/console/sources/$1'],
  ['DELETE', /^\/admin\/sources\/([^/]+)\/crawls\/[^/]+$/, 'Cancelled a crawl of $1', '/app/console/sources/$1'],
  ['PATCH', /^\/admin\/concurrency\/([^/]+)$/, 'Changed the concurrency of $1', '/app/console/concurrency/$1'],
  ['PUT', /^\/admin\/concurrency\/([^/]+)\/pause$/, 'Paused $1', '/app/console/concurrency/$1'],
  ['DELETE', /^\/admin\/concurrency\/([^/]+)\/pause$/, 'Resumed $1', '/app/console/concurrency/$1'],
  ['POST', /^\/admin\/concurrency\/run-tuner$/, 'Ran the tuner', '/app/console/concurrency'],
  ['POST', /^\/scrape-jobs\/cancel$/, 'Cancelled jobs', '/app/console/jobs'],
  ['POST', /^\/scrape-jobs\/retry$/, 'Retried failed jobs', '/app/console/jobs'],
  ['POST', /^\/scrape-jobs\/([^/]+)\/retry$/, 'Retried a job', '/app/console/jobs/$1'],
  ['DELETE', /^\/scrape-jobs\/([^/]+)$/, 'Cancelled a job', '/app/console/jobs/$1'],
  ['DELETE', /^\/work\/[^/]+$/, 'Cancelled work', '/app/console/work'],
  ['POST', /^\/files$/, 'Started the upload of a file'],
  ['PATCH', /^\/files\/[^/]+$/, 'Uploaded a part of a file'],
  ['DELETE', /^\/files\/[^/]+$/, 'Deleted an uploaded file'],
  ['POST', /^\/loads$/, 'Loaded a file'],
  ['POST', /^\/loads\/preview$/, 'Previewed a file'],
  ['POST', /^\/loads\/[^/]+\/apply$/, 'Applied a held load'],
  ['POST', /^\/loads\/[^/]+\/discard$/, 'Discarded a held load'],
  ['POST', /^\/loads\/[^/]+\/undo$/, 'Undid a load'],
  ['POST', /^\/findings\/[^/]+\/dismiss$/, 'Dismissed a finding', '/app/console/findings'],
  ['DELETE', /^\/findings\/[^/]+\/dismiss$/, 'Restored a dismissed finding', '/app/console/findings'],
  ['POST', /^\/admin\/tiles\/build$/, 'Requested a tile build', '/app/console/tiles'],
  ['POST', /^\/admin\/search-index\/check$/, 'Requested a check of the search index', '/app/console/search-index'],
  ['POST', /^\/admin\/search-index\/rebuild$/, 'Requested a rebuild of the search index', '/app/console/search-index'],
  ['PATCH', /^\/admin\/accounts\/[^/]+$/, 'Changed a person’s role or plan', '/app/console/people'],
  ['DELETE', /^\/admin\/accounts\/[^/]+$/, 'Removed a person', '/app/console/people'],
  ['PUT', /^\/alerts\/[^/]+\/silence$/, 'Silenced an alert', '/app/console/alerts'],
  ['DELETE', /^\/alerts\/[^/]+\/silence$/, 'Ended the silence of an alert', '/app/console/alerts'],
  ['PATCH', /^\/alert-rules\/([^/]+)$/, 'Changed the alert rule $1', '/app/console/alerts'],
  ['POST', /^\/watches$/, 'Added a webhook for alerts', '/app/console/alerts'],
  ['PATCH', /^\/watches\/([^/]+)$/, 'Changed a watch', '/app/watches/$1'],
  ['DELETE', /^\/watches\/[^/]+$/, 'Deleted a watch', '/app/watches'],
  ['POST', /^\/watches\/([^/]+)\/test$/, 'Tested the webhook of a watch', '/app/watches/$1'],
  ['POST', /^\/watches\/([^/]+)\/send$/, 'Sent the pending changes of a watch', '/app/watches/$1'],
  ['POST', /^\/watches\/([^/]+)\/deliveries\/[^/]+\/replay$/, 'Sent a delivery again', '/app/watches/$1'],
  ['POST', /^\/matches\/[^/]+\/retry$/, 'Matched the rows of a list again', '/app/lists'],
  ['DELETE', /^\/matches\/[^/]+$/, 'Cancelled or deleted a match', '/app/lists'],
  ['DELETE', /^\/exports\/[^/]+$/, 'Cancelled an export', '/app/exports'],
]

/** An action in words, and the page about it, if there is one. Null: a route that this page does not know. */
export const describeAction = (method: string, path: string): { words: string; page: string | null } | null => {
  for (const [of, pattern, words, page] of ACTIONS) {
    const found = of === method ? pattern.exec(path.replace(/^\/v1/, '')) : null
    if (found === null) continue
    const part = found[1] ?? ''
    return { words: words.replace('$1', decodeURIComponent(part)), page: page?.replace('$1', part) ?? null }
  }
  return null
}
