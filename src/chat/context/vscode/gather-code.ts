import * as vscode from 'vscode';
import {
  questionWords,
  rankMatches,
  type ShownLine,
  snippets,
  type WordMatches,
} from '../ranking.ts';
import { pathFilter } from '../../../workspace/path-filter.ts';
import type { FoundLine } from '../../../workspace/search.ts';
import { SecretFiles } from '../../../workspace/vscode/list-files.ts';
import { TextSearch } from '../../../workspace/vscode/text-search.ts';
import { type Gathered, leftOutNote, trustRefusal } from './gathered.ts';
import type { WorkspaceReader } from './workspace-reader.ts';

const limits = { files: 20, linesPerFile: 40, characters: 40_000 };
/** Matching lines of one word: a word that more lines hold says little. */
const mostMatches = 1_000;
/** Lines shown before and after each match. */
const context = 2;

/** Searches the workspace for the words of a question: the lines of the files that hold most of them. */
export async function gatherCodebase(
  question: string,
  reader: WorkspaceReader,
  signal: AbortSignal,
): Promise<Gathered> {
  const refusal = trustRefusal();
  if (refusal !== undefined) return { refusal };
  const words = questionWords(question);
  if (words.length === 0) return { refusal: vscode.l10n.t('Write what you look for first.') };
  const found = new Map<string, Map<string, ShownLine[]>>();
  let secrets = 0;
  for (const place of await reader.folders()) {
    for (const word of words) {
      const files = found.get(word) ?? new Map<string, ShownLine[]>();
      found.set(word, files);
      await searchWord(word, { place, files, reader, signal });
    }
    const names = await new SecretFiles(reader.tools).in(place, pathFilter({}), signal);
    secrets += names.length;
  }
  const matches = [...found].map(([word, files]): WordMatches => ({ word, files }));
  const ranked = rankMatches(matches);
  if (ranked.length === 0)
    return {
      refusal: vscode.l10n.t('No file holds a word of the question: {0}.', words.join(', ')),
    };
  const head = `Lines of the workspace that hold words of the question (${words.join(', ')}):`;
  const text = `${head}\n\n${snippets(ranked, limits)}`;
  const label = vscode.l10n.t('Codebase search');
  return { kind: 'search', label, language: '', text, note: leftOutNote(secrets) };
}

async function searchWord(
  word: string,
  {
    place,
    files,
    reader,
    signal,
  }: {
    readonly place: Awaited<ReturnType<WorkspaceReader['place']>>;
    readonly files: Map<string, ShownLine[]>;
    readonly reader: WorkspaceReader;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let matches = 0;
  const add = (label: string, { line, text, column }: FoundLine): boolean => {
    if (column !== undefined) matches += 1;
    if (matches > mostMatches) return false;
    const lines = files.get(label) ?? [];
    lines.push({ line, text });
    files.set(label, lines);
    return true;
  };
  const search = new TextSearch({
    place,
    query: { text: word, regex: false, caseSensitive: false, context, most: mostMatches },
    filter: pathFilter({}),
    result: { add },
    readable: reader.readable(),
  });
  await search.run(await reader.tools.ripgrep(), signal);
}
