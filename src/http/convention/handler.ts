/** What Elysia's `wrap` passes and expects: it handles a request, before and after everything else. */
export type Handler = (request: Request, ...rest: unknown[]) => unknown

/** What a handler of this service returns. */
export type Answer = Response | Promise<Response>

/** Passes on a ready response without waiting for a microtask. */
export const whenAnswered = (answer: Answer, next: (response: Response) => Answer): Answer =>
  answer instanceof Promise ? answer.then(next) : next(answer)
