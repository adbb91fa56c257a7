import type { Snapshot } from './snapshot.ts';

/** Creates a snapshot of a text. The character `|` in the text marks the cursor. */
export function createSnapshotOf(
  text: string,
  languageId = 'typescript',
  overrides: Partial<Snapshot> = {},
): Snapshot {
  const index = text.indexOf('|');
  const prefix = text.slice(0, index);
  const lines = prefix.split('\n');
  return {
    documentUri: 'file:///project/sample',
    languageId,
    path: 'sample',
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
    prefix,
    suffix: text.slice(index + 1),
    indentUnit: languageId === 'go' || languageId === 'makefile' ? '\t' : '  ',
    ...overrides,
  };
}
