import { expect, test, vi } from 'vitest';
import { createEditCases, readSources } from '../../../test/support/edit-cases/edit-cases.ts';
import { createRandom } from '../../../test/support/edit-cases/random.ts';
import { measureGrowth } from '../../../test/support/growth.ts';
import { applyHunks } from './apply-hunks.ts';
import type { Hunk } from './hunk.ts';

const functionCount = 2_000;
const fileText = Array.from(
  { length: functionCount },
  (_, index) =>
    `function step${index}(left, right) {\n    // Adds ${index}.\n    return left * ${index} + right;\n}\n`,
).join('');

/** Creates hunks for functions that are distributed evenly over the file. */
function createHunks(count: number, change: (search: string) => string): Hunk[] {
  return Array.from({ length: count }, (_, index) => {
    const number = Math.floor(((index + 0.5) * functionCount) / count);
    const search = `    // Adds ${number}.\n    return left * ${number} + right;`;
    return { search: change(search), replace: change(search).replace(' + ', ' - ') };
  });
}

/** Counts the characters that built-in functions read or create in long strings while the hunks are applied. */
function countCharacters(hunks: readonly Hunk[]): number {
  let characterCount = 0;
  const spies = (['indexOf', 'includes', 'split', 'replaceAll', 'slice', 'trim'] as const).map(
    (name) => {
      const originalMethod: (this: string, ...args: never[]) => unknown = String.prototype[name];
      return vi.spyOn(String.prototype, name).mockImplementation(function (
        this: string,
        ...args: never[]
      ) {
        const result = originalMethod.apply(this, args);
        if (this.length < fileText.length / 2) return result as never;
        if (typeof result === 'string') characterCount += result.length;
        else if (typeof result === 'number' && result >= 0)
          characterCount += result - (args[1] ?? 0);
        else characterCount += this.length;
        return result as never;
      });
    },
  );
  const result = applyHunks(fileText, hunks);
  for (const spy of spies) spy.mockRestore();
  expect(result).toMatchObject({ type: 'applied' });
  return characterCount;
}

test.each<[string, (search: string) => string]>([
  ['exact', (search) => search],
  ['with other indentation', (search) => search.replaceAll('    ', '\t')],
  ['with other quotes', (search) => search.replace(' left', '\u00A0left')],
])(
  'applyHunks reads the file only a few times for 200 hunks with matches of the kind "%s"',
  (_, change) => {
    const countOfOneHunk = countCharacters(createHunks(1, change));
    expect(countCharacters(createHunks(200, change))).toBeLessThan(5 * countOfOneHunk);
  },
);

/** Applies the hunks in separate calls, each to the result of the previous call; undefined if a hunk is rejected. */
function applyOneByOne(text: string, hunks: readonly Hunk[]): string | undefined {
  let currentText = text;
  for (const hunk of hunks) {
    const result = applyHunks(currentText, [hunk]);
    if (result.type === 'refused') return undefined;
    currentText = result.text;
  }
  return currentText;
}

test('applyHunks returns the same text for many hunks in one call as for separate calls', () => {
  const random = createRandom(11);
  const sources = readSources();
  let appliedCount = 0;
  for (let round = 0; round < 100; round += 1) {
    const source = sources[Math.floor(random() * sources.length)] ?? '';
    const cases = createEditCases([source], { seed: round, count: 20 });
    const hunks = cases.map(({ hunk }) => hunk).filter(() => random() < 0.3);
    const result = applyHunks(source, hunks);
    if (result.type === 'refused') continue;
    // A repeated insertion is left out only within one call.
    if (result.matches.includes('repeated')) continue;
    appliedCount += hunks.length;
    expect(result.text).toBe(applyOneByOne(source, hunks));
  }
  expect(appliedCount).toBeGreaterThan(20);
});

test('applyHunks takes linear time for many insertions between repeated lines', () => {
  const run = (count: number): void => {
    const names = Array.from({ length: count }, (_, index) => `anchor${index}();`);
    const hunks = names.map((name) => ({
      search: `x();\n${name}`,
      replace: `x();\nx();\n${name}`,
    }));
    const text = names.map((name) => `${'x();\n'.repeat(250)}${name}\n`).join('');
    expect(applyHunks(text, hunks)).toMatchObject({ type: 'applied' });
  };
  expect(measureGrowth(run, { smallSize: 50, smallCount: 16 }).timeRatio).toBeLessThan(8);
});
