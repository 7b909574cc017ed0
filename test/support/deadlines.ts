/** The time limit of one test. It only ends tests that hang: on an idle machine the slowest test takes an eighth of it. */
export const TEST_TIMEOUT_MS = 240_000

/** How long a test waits for a condition that should soon be true (`waitFor` in test/support/servers.ts). */
export const WAIT_TIMEOUT_MS = 60_000

/** How long a service, with servers of its own, may take to start. */
export const START_TIMEOUT_MS = 180_000

/** How long a page in a browser may take to show something. Maps are drawn by the processor, so a busy machine is slow. */
export const PAGE_TIMEOUT_MS = 90_000
