import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/paths.ts';

interface Rule {
  readonly title: string;
  readonly pattern: RegExp;
  readonly exemptFile: string;
}

/** Rules against code that makes a test result depend on the machine, on random values or on elapsed time. */
const rules: readonly Rule[] = [
  {
    title: 'use the fixed seed in property tests',
    pattern: /from 'fast-check'/u,
    exemptFile: 'test/support/property.ts',
  },
  {
    title: 'do not depend on random values',
    pattern: /Math\.random/u,
    exemptFile: 'test/architecture/sources.test.ts',
  },
  {
    title: 'do not limit the elapsed time',
    pattern: /(?:performance|Date)\.now\(\)(?: - \w+)?\)\.toBeLessThan|\.now\(\) - \w+ < \d/u,
    exemptFile: '',
  },
];

/**
 * Returns the texts of the tests and of their support modules by path. Paths are relative to the repository and use
 * `/`. Excludes the end-to-end tests.
 */
function readTestSources(): Map<string, string> {
  const paths = globSync(['{src,webview,test}/**/*.test.ts', 'test/{integration,support}/*.ts'], {
    cwd: root,
    exclude: ['test/e2e/**', 'test/architecture/determinism.test.ts'],
  });
  return new Map(
    paths.map((path) => [path.split(sep).join('/'), readFileSync(join(root, path), 'utf8')]),
  );
}

const findViolations = (
  { pattern, exemptFile }: Rule,
  sources: ReadonlyMap<string, string>,
): string[] =>
  [...sources].flatMap(([path, text]) => (path !== exemptFile && pattern.test(text) ? [path] : []));

describe('the tests', () => {
  const sources = readTestSources();

  test.each(rules.map((rule) => [rule.title, rule] as const))('follow the rule: %s', (_, rule) => {
    expect(sources.size).toBeGreaterThan(400);
    expect(findViolations(rule, sources)).toEqual([]);
  });
});

test.each([
  "import fc from 'fast-check';",
  'const name = Math.random().toString(36);',
  'expect(performance.now() - start).toBeLessThan(500);',
  'assert.ok(Date.now() - startedAt < 1_000);',
])('findViolations reports a test that contains %s', (text) => {
  const plantedSources = new Map([['src/planted.test.ts', text]]);
  expect(rules.flatMap((rule) => findViolations(rule, plantedSources))).toEqual([
    'src/planted.test.ts',
  ]);
});
