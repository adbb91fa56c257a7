/**
 * Time limits for tests and test tools, in milliseconds. Each limit ends only tests that hang: it is several times as
 * long as the tests take on a busy machine. Tests wait for a condition with one of these limits as the maximum time.
 */
export const timeLimits = {
  /** Limit for a unit test that uses neither a browser nor VS Code. */
  unitTest: 180_000,
  /** Limit for a page, a window or a program to reach a state without further input. */
  condition: 90_000,
  /** Limit for a test that uses a browser or VS Code, and waits for several conditions. */
  test: 300_000,
  /** Limit for all integration suites in one VS Code window. */
  host: 1_500_000,
  /** Limit for starting a server, a browser, a window or a chain. */
  start: 240_000,
} as const;
