import type { Snapshot } from './snapshot.ts';

/** The text around `|`, in a document of its own name. */
export function snapshotOf(
  text: string,
  about: Partial<Pick<Snapshot, 'document' | 'languageId' | 'path' | 'indentUnit'>> = {},
): Snapshot {
  const [prefix = '', suffix = ''] = text.split('|');
  const lines = prefix.split('\n');
  return {
    document: 'file:///tides.ts',
    languageId: 'typescript',
    path: 'src/tides.ts',
    indentUnit: '  ',
    ...about,
    position: { line: lines.length - 1, character: (lines.at(-1) ?? '').length },
    prefix,
    suffix,
  };
}
