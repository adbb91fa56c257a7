/**
 * Time limits in milliseconds for tests and test tools. A limit only ends what hangs; it never states how fast something
 * is. Each is several times what a loaded machine needs. Wait for a condition, with one of these as the bound.
 */
export const timeLimits = {
  /** A unit test without a browser or VS Code. */
  unitTest: 180_000,
  /** A state that a page, a window or a program reaches without input. */
  condition: 90_000,
  /** A test in a browser or in VS Code: several conditions in a row. */
  test: 300_000,
  /** All suites of one VS Code window. */
  host: 1_500_000,
  /** The start of a server, a browser, a window or a chain. */
  start: 240_000,
} as const;
