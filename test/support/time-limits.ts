/**
 * Time limits in milliseconds for tests and test tools. A limit ends a test that hangs, and is
 * several times the duration on a loaded machine. Tests wait for a condition, with one of these
 * limits as the maximum.
 */
export const timeLimits = {
  /** Limit for a unit test without a browser or VS Code. */
  unitTest: 180_000,
  /** Limit for a state that a page, a window or a program reaches without input. */
  condition: 90_000,
  /** Limit for a test in a browser or in VS Code: several conditions in a row. */
  test: 300_000,
  /** Limit for all suites of one VS Code window. */
  host: 1_500_000,
  /** Limit for the start of a server, a browser, a window or a chain. */
  start: 240_000,
} as const;
