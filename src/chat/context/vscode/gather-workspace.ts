import * as vscode from 'vscode';
import { createGetProblemsTool } from '../../../agent/tools/vscode/get-problems.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import { commitSubjectsLanguage } from '../../../conversation/commit-prompt.ts';
import type { Attachment } from '../../../conversation/conversation.ts';
import { readDiff, readRecentSubjects } from '../../../editor/vscode/commit-changes.ts';
import {
  findCurrentRepository,
  type GitRepository,
  listUntrackedFiles,
} from '../../../platform/git.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { readUnsavedText, readWorkspaceText } from '../../../workspace/vscode/file-text.ts';
import { pluralize } from '../../../workspace/vscode/labels.ts';
import { FirstPaths, listFiles } from '../../../workspace/vscode/list-files.ts';
import type { SearchLocation } from '../../../workspace/vscode/search-scope.ts';

/** Text to attach, or a sentence for the user that explains why there is no text. */
export type GatherResult = GatheredText | { readonly refusal: string };

export interface GatheredText extends Pick<Attachment, 'kind' | 'label' | 'language' | 'text'> {
  /** Note for the user about the text, such as the number of omitted files. */
  readonly note?: string;
}

/** Returns the reason why nothing may be sent from an untrusted workspace; `undefined` in a trusted workspace. */
export function explainUntrustedWorkspace(): string | undefined {
  return vscode.workspace.isTrusted
    ? undefined
    : vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.');
}

/**
 * Returns a note with the number of files that were omitted because they may contain secrets. Empty if no file was
 * omitted.
 */
export function formatOmittedFilesNote(secretFileCount: number): string {
  if (secretFileCount === 0) return '';
  return vscode.l10n.t('Files not sent, because they may hold secrets: {0}', secretFileCount);
}

/** Maximum number of file names to attach. */
const maxPaths = 500;
/** Maximum length in characters of the text of all files together. */
const maxCharacters = 100_000;
/** Maximum length in characters of the text of one file. */
const maxFileCharacters = 20_000;
/** Maximum size of a file in bytes. Larger files are rarely source code. */
const maxFileBytes = 200_000;
const maxFilesRead = 200;

/**
 * Returns the file names in a folder and the text of as many files as the limits permit. The least nested files come
 * first. Refuses folders outside the workspace.
 */
export async function gatherFolder(
  uri: vscode.Uri,
  reader: WorkspaceReader,
  signal: AbortSignal,
): Promise<GatherResult> {
  const refusal = explainUntrustedWorkspace();
  if (refusal !== undefined) return { refusal };
  if (!(await reader.contains(uri)))
    return { refusal: formatEmptyFolderMessage(getFolderName(uri)) };
  const location = await reader.locate(uri);
  const foundPaths = new FirstPaths(maxPaths);
  let secretFileCount = 0;
  await listFiles(location, {
    program: await reader.tools.getRipgrepPath(),
    signal,
    onPath(path) {
      if (isLikelySecret(path)) secretFileCount += 1;
      else foundPaths.add(path);
    },
  });
  const label =
    location.label === '.' || location.label === '' ? getFolderName(uri) : location.label;
  if (foundPaths.count === 0) return { refusal: formatEmptyFolderMessage(label) };
  const paths = foundPaths.listPaths();
  const { texts, readCount } = await readTexts(location, paths, reader);
  const omittedCount = foundPaths.count - paths.length;
  const text = [
    `${pluralize(foundPaths.count, 'file')} below ${label}:`,
    ...paths.map((path) => location.formatLabel(path)),
    ...(omittedCount > 0 ? [`[${omittedCount.toLocaleString('en-US')} more]`] : []),
    ...(readCount < foundPaths.count
      ? [`[The text of ${pluralize(readCount, 'file')} follows.]`]
      : []),
    '',
    ...texts,
  ].join('\n');
  return {
    kind: 'folder',
    label: `${label}/`,
    language: '',
    text,
    note: formatOmittedFilesNote(secretFileCount),
  };
}

async function readTexts(
  location: SearchLocation,
  paths: readonly string[],
  reader: WorkspaceReader,
): Promise<{ readonly texts: readonly string[]; readonly readCount: number }> {
  const readableUris = reader.createReadableUriFilter();
  const sortedPaths = paths
    .toSorted((a, b) => countPathSegments(a) - countPathSegments(b))
    .slice(0, maxFilesRead);
  const texts: string[] = [];
  let remainingCharacters = maxCharacters;
  for (const path of sortedPaths) {
    const uri = location.toUri(path);
    const text = (await readableUris.isReadable(uri)) ? await readSmallText(uri) : undefined;
    if (text === undefined) continue;
    const section = `--- ${location.formatLabel(path)}\n${truncateFileText(text)}\n`;
    if (section.length > remainingCharacters) continue;
    texts.push(section);
    remainingCharacters -= section.length;
  }
  return { texts, readCount: texts.length };
}

/** Reads a file. Returns `undefined` if the file is too large, binary, empty or unreadable. */
async function readSmallText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const unsavedFile = readUnsavedText(uri);
    if (unsavedFile !== undefined) return unsavedFile.text;
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxFileBytes) return undefined;
    const { text } = await readWorkspaceText(uri);
    return text.includes('\0') || text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

const formatEmptyFolderMessage = (folder: string): string =>
  vscode.l10n.t('{0} has no files that may be sent.', folder);

const truncateFileText = (text: string): string =>
  text.length > maxFileCharacters ? `${text.slice(0, maxFileCharacters)}\n[cut]` : text;

const countPathSegments = (path: string): number => path.split('/').length;
const getFolderName = (uri: vscode.Uri): string => uri.path.split('/').findLast(Boolean) ?? '';

/** Checks whether a language service reports a problem in any workspace file. */
export const hasProblems = (): boolean =>
  vscode.languages
    .getDiagnostics()
    .some(
      ([uri, diagnostics]) =>
        diagnostics.length > 0 && vscode.workspace.getWorkspaceFolder(uri) !== undefined,
    );

/** Returns the problems of all workspace files, formatted like the output of the agent's problems tool. */
export async function gatherAllProblems(
  reader: WorkspaceReader,
  signal: AbortSignal,
): Promise<GatherResult> {
  const refusal = explainUntrustedWorkspace();
  if (refusal !== undefined) return { refusal };
  if (!hasProblems()) return { refusal: vscode.l10n.t('There are no problems.') };
  // Omits files that need approval, because the user cannot be asked here.
  const callContext = {
    conversationId: '',
    turnId: '',
    messageId: '',
    callId: '',
    supportsVision: false,
  };
  const { output } = await createGetProblemsTool(reader.tools).run({}, { ...callContext, signal });
  return { kind: 'problems', label: vscode.l10n.t('Problems'), language: '', text: output };
}

/** Returns the URI of the visible file if the file has problems, otherwise `undefined`. */
export function findVisibleFileWithProblems(
  visibleUri: vscode.Uri | undefined,
): vscode.Uri | undefined {
  if (visibleUri === undefined || vscode.languages.getDiagnostics(visibleUri).length === 0)
    return undefined;
  return visibleUri;
}

/** Maximum length of a diff in characters. */
const maxDiffCharacters = 60_000;
const maxNewFiles = 100;

/** Returns a diff of the changes since the last commit, or of only the staged changes. */
export async function gatherChanges(
  visibleUri: vscode.Uri | undefined,
  { stagedOnly }: { readonly stagedOnly: boolean },
): Promise<GatherResult> {
  const refusal = explainUntrustedWorkspace();
  if (refusal !== undefined) return { refusal };
  const repository = await findCurrentRepository(visibleUri, { prefersStaged: stagedOnly });
  if (repository === undefined)
    return {
      refusal: vscode.l10n.t('Open a folder with a Git repository.'),
    };
  return stagedOnly ? gatherStagedChanges(repository) : gatherAllChanges(repository);
}

/**
 * Returns the subjects of the latest commits, as examples for a new commit message. Returns `undefined` if there are
 * no commits.
 */
export async function gatherCommitSubjects(
  visibleUri: vscode.Uri | undefined,
): Promise<GatheredText | undefined> {
  const repository =
    explainUntrustedWorkspace() === undefined
      ? await findCurrentRepository(visibleUri, { prefersStaged: true })
      : undefined;
  const text = repository === undefined ? '' : (await readRecentSubjects(repository)).join('\n');
  if (text === '') return undefined;
  return { kind: 'changes', label: 'git log', language: commitSubjectsLanguage, text };
}

async function gatherStagedChanges(repository: GitRepository): Promise<GatherResult> {
  const { text, secretFileCount } = await readDiff(repository, {
    isStaged: true,
    maxLength: maxDiffCharacters,
  });
  if (text === '')
    return { refusal: vscode.l10n.t('Nothing is staged. Stage the changes to commit first.') };
  const label = vscode.l10n.t('Staged changes');
  return {
    kind: 'changes',
    label,
    language: 'diff',
    text,
    note: formatOmittedFilesNote(secretFileCount),
  };
}

async function gatherAllChanges(repository: GitRepository): Promise<GatherResult> {
  const maxLength = maxDiffCharacters / 2;
  const filteredDiffs = await Promise.all(
    [true, false].map((isStaged) => readDiff(repository, { isStaged, maxLength })),
  );
  const untrackedFiles = listUntrackedFiles(repository)
    .filter((path) => !isLikelySecret(path))
    .slice(0, maxNewFiles);
  const [stagedText = '', unstagedText = ''] = filteredDiffs.map(({ text }) => text);
  const text = [
    stagedText === '' ? '' : `Staged:\n${stagedText}`,
    unstagedText === '' ? '' : `Not staged:\n${unstagedText}`,
    untrackedFiles.length === 0 ? '' : `New files:\n${untrackedFiles.join('\n')}`,
  ].filter((section) => section !== '');
  if (text.length === 0)
    return { refusal: vscode.l10n.t('Nothing has changed since the last commit.') };
  const secretFileCount = filteredDiffs.reduce((sum, section) => sum + section.secretFileCount, 0);
  return {
    kind: 'changes',
    label: vscode.l10n.t('Changes'),
    language: 'diff',
    text: text.join('\n\n'),
    note: formatOmittedFilesNote(secretFileCount),
  };
}
