import type { Static, TObject } from '@sinclair/typebox'
import type { Caller } from '../../../core/concurrency/fair-turns'
import type { Reader } from '../../../core/postgres/replicas/reads'
import type { Requester } from '../../../drizzle/queries/jobs/order/watchers'
import type { Capability } from '../../people/capabilities'
import type { Deps } from '../deps'
import type { Answer } from './answer'

export type ToolDeps = Pick<
  Deps,
  'sql' | 'reads' | 'search' | 'parcelLists' | 'datasetVersion' | 'listTurns' | 'latency' | 'baseUrl'
>

/** The caller of a tool, and the tool's dependencies. */
export interface ToolContext {
  deps: ToolDeps
  caller: Caller & Reader
  requester: Requester
}

export interface Tool<Input extends TObject = TObject> {
  name: string
  title: string
  /** For the agent: what it returns, and when to use another tool. */
  description: string
  needs: Capability
  /** A closed object. */
  input: Input
  /** @throws HttpError, ServiceError for invalid input, and if something is not found */
  call: (input: Static<Input>, context: ToolContext) => Promise<Answer>
}

/** Keeps the type of the input between `input` and `call`. */
export const defineTool = <Input extends TObject>(tool: Tool<Input>): Tool => tool as unknown as Tool
