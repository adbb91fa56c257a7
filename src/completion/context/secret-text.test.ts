import { describe, expect, test } from 'vitest';
import type { TextChange } from './text-lines.ts';
import { type WatchedDocument, SecretScanner } from './secret-text.ts';

const privateKeyHeader = '-----BEGIN PRIVATE KEY-----';

/** Document whose lines can be replaced. */
class FakeDocument implements WatchedDocument {
  lines: string[];
  readonly isUntitled: boolean;
  readonly languageId: string;

  constructor(lines: readonly string[], { isUntitled = false, languageId = 'plaintext' } = {}) {
    this.lines = [...lines];
    this.isUntitled = isUntitled;
    this.languageId = languageId;
  }

  get lineCount(): number {
    return this.lines.length;
  }

  lineAt(line: number): { readonly text: string } {
    const text = this.lines[line];
    if (text === undefined) throw new Error(`There is no line ${line}.`);
    return { text };
  }

  /**
   * Replaces lines and returns the corresponding change event of VS Code.
   * @param line 0-based number of the first replaced line
   * @param count number of replaced lines
   */
  replaceLines(line: number, count: number, text: string): TextChange {
    this.lines.splice(line, count, ...(text === '' ? [] : text.split('\n')));
    // The replaced range excludes the last line end, unless lines are deleted.
    const end = { line: line + (text === '' ? count : count - 1) };
    return { range: { start: { line }, end }, text };
  }
}

const createLines = (count: number, text = 'a'): string[] =>
  Array.from({ length: count }, () => text);

describe('SecretScanner', () => {
  test.each([
    ['plain code', new FakeDocument(createLines(5_000)), 'clean'],
    ['a key at the end', new FakeDocument([...createLines(5_000), privateKeyHeader]), 'secret'],
    [
      'variables in an untitled document',
      new FakeDocument(['API_KEY=x'], { isUntitled: true }),
      'secret',
    ],
    ['variables in a saved document', new FakeDocument(['API_KEY=x']), 'clean'],
    [
      'a document with the language dotenv',
      new FakeDocument(['x'], { languageId: 'dotenv' }),
      'secret',
    ],
  ] as const)('classifies $0 as $2', async (_, draft, expected) => {
    const scanner = new SecretScanner(draft, () => {});
    expect(scanner.result).toBe(undefined);
    expect(await scanner.finishScan()).toBe(expected);
    expect(scanner.result).toBe(expected);
  });

  test('detects a pasted private key immediately', async () => {
    const draft = new FakeDocument(createLines(10));
    const scanner = new SecretScanner(draft, () => {});
    await scanner.finishScan();
    scanner.applyChanges([draft.replaceLines(3, 1, `x\n${privateKeyHeader}\nMII`)]);
    expect(scanner.result).toBe('secret');
  });

  test('scans a large paste in the background, and reports no result until the scan is complete', async () => {
    const draft = new FakeDocument(createLines(10));
    const scanner = new SecretScanner(draft, () => {});
    await scanner.finishScan();
    scanner.applyChanges([
      draft.replaceLines(3, 1, [...createLines(3_000), privateKeyHeader].join('\n')),
    ]);
    expect(scanner.result).toBe(undefined);
    expect(await scanner.finishScan()).toBe('secret');
  });

  test('detects an environment file as soon as the user types its first variable', async () => {
    const draft = new FakeDocument([''], { isUntitled: true });
    const scanner = new SecretScanner(draft, () => {});
    expect(await scanner.finishScan()).toBe('clean');
    scanner.applyChanges([draft.replaceLines(0, 1, 'API_KEY=')]);
    expect(scanner.result).toBe('secret');
  });

  test('reports the document as secret until all private keys are removed', async () => {
    const draft = new FakeDocument(['a', privateKeyHeader, 'b', privateKeyHeader, 'c']);
    const scanner = new SecretScanner(draft, () => {});
    await scanner.finishScan();
    scanner.applyChanges([draft.replaceLines(1, 1, 'x')]);
    expect(scanner.result).toBe('secret');
    expect(await scanner.finishScan()).toBe('secret');
    scanner.applyChanges([draft.replaceLines(3, 1, 'x')]);
    expect(scanner.result).toBe('secret');
    expect(await scanner.finishScan()).toBe('clean');
  });

  test('detects a private key whose line moves up during a scan', async () => {
    const draft = new FakeDocument([...createLines(6_000), privateKeyHeader]);
    const scanner = new SecretScanner(draft, () => {});
    const resultPromise = scanner.finishScan();
    // At this time, the first slice is scanned, but not the line with the key.
    await new Promise((resolve) => setImmediate(resolve));
    expect(scanner.result).toBe(undefined);
    scanner.applyChanges([draft.replaceLines(0, 6_000, '')]);
    expect(await resultPromise).toBe('secret');
  });

  test('scans only the changed line when the user types', async () => {
    const draft = new FakeDocument(createLines(20_000));
    const scanner = new SecretScanner(draft, () => {});
    await scanner.finishScan();
    const scannedLines: number[] = [];
    draft.lineAt = (line) => {
      scannedLines.push(line);
      return { text: draft.lines[line] ?? '' };
    };
    scanner.applyChanges([draft.replaceLines(9_000, 1, 'ab')]);
    expect([scannedLines, scanner.result]).toEqual([[9_000], 'clean']);
  });

  test('scans only the changed lines when the user types with multiple cursors', async () => {
    const draft = new FakeDocument(createLines(20_000));
    const { scanner, countResultChanges } = await startScanner(draft);
    const scannedLines: number[] = [];
    draft.lineAt = (line) => {
      scannedLines.push(line);
      return { text: draft.lines[line] ?? '' };
    };
    scanner.applyChanges([draft.replaceLines(9_000, 1, 'ab'), draft.replaceLines(500, 1, 'a\nb')]);
    expect([scannedLines, scanner.result, countResultChanges()]).toEqual([
      [500, 501, 9_001],
      'clean',
      0,
    ]);
  });

  test('detects a private key if other changes of the same event move its line', async () => {
    const draft = new FakeDocument(createLines(10));
    const { scanner, countResultChanges } = await startScanner(draft);
    scanner.applyChanges([
      draft.replaceLines(7, 1, `x\n${privateKeyHeader}`),
      draft.replaceLines(2, 3, ''),
      draft.replaceLines(0, 1, 'b\nc\nd'),
    ]);
    expect([scanner.result, countResultChanges()]).toEqual(['secret', 1]);
  });

  test.each([
    ['clean', 'b', 0],
    ['secret', privateKeyHeader, 1],
  ] as const)(
    'fires an event after a large paste only if the result changes: %s',
    async (scanResult, lastLine, eventCount) => {
      const draft = new FakeDocument(createLines(10));
      const { scanner, countResultChanges } = await startScanner(draft);
      scanner.applyChanges([
        draft.replaceLines(3, 1, [...createLines(3_000), lastLine].join('\n')),
      ]);
      expect([scanner.result, countResultChanges()]).toEqual([undefined, 0]);
      expect(await scanner.finishScan()).toBe(scanResult);
      expect(countResultChanges()).toBe(eventCount);
    },
  );

  test('fires one change event when the only secret is removed', async () => {
    const draft = new FakeDocument(['a', privateKeyHeader, 'b']);
    const { scanner, countResultChanges } = await startScanner(draft);
    expect(countResultChanges()).toBe(0);
    scanner.applyChanges([draft.replaceLines(1, 1, 'x')]);
    await scanner.finishScan();
    scanner.applyChanges([draft.replaceLines(1, 1, 'y')]);
    expect([scanner.result, countResultChanges()]).toEqual(['clean', 1]);
  });
});

/** Scans the document. Returns the scanner, and a function that returns how often the result has changed. */
async function startScanner(draft: FakeDocument) {
  let count = 0;
  const scanner = new SecretScanner(draft, () => (count += 1));
  await scanner.finishScan();
  return { scanner, countResultChanges: () => count };
}
