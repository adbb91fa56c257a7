/**
 * Time limits for tests and test tools, in milliseconds. A limit only ends a test that hangs. Each limit is several
 * times as long as the tests take on a loaded machine. Tests wait for conditions, with one of these limits as the
 * maximum.
 */
export const timeLimits = {
  /** Limit for a unit test without a browser or VS Code. */
  unitTest: 180_000,
  /** Limit for reaching a state of a page, a window or a program without further input. */
  condition: 90_000,
  /** Limit for a test in a browser or in VS Code, which waits for several conditions. */
  test: 300_000,
  /** Limit for all integration suites of one VS Code window. */
  host: 1_500_000,
  /** Limit for starting a server, a browser, a window or a chain. */
  start: 240_000,
} as const;
