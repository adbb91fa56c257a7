import * as vscode from 'vscode';
import { boundedDiff, commitSubjects } from '../../../conversation/commit-prompt.ts';
import { looksSecret } from '../../../workspace/secret-file.ts';
import { lastSubjects } from '../../../editor/vscode/commit-changes.ts';
import { currentRepository, type GitRepository, newFilesIn } from '../../../platform/git.ts';
import { type Gathered, type GatheredText, leftOutNote, trustRefusal } from './gathered.ts';

/** Characters of a difference. */
const mostCharacters = 60_000;
const mostNewFiles = 100;

/** What changed since the last commit; with `stagedOnly` what the next commit would hold. */
export async function gatherChanges(
  shown: vscode.Uri | undefined,
  { stagedOnly }: { readonly stagedOnly: boolean },
): Promise<Gathered> {
  const refusal = trustRefusal();
  if (refusal !== undefined) return { refusal };
  const repository = await currentRepository(shown, { stagedFirst: stagedOnly });
  if (repository === undefined)
    return {
      refusal: vscode.l10n.t('There is no Git repository here whose changes could be taken.'),
    };
  return stagedOnly ? staged(repository) : everything(repository);
}

/** How the last commits were written, for the message of the next; undefined where there is none yet. */
export async function gatherSubjects(
  shown: vscode.Uri | undefined,
): Promise<GatheredText | undefined> {
  const repository =
    trustRefusal() === undefined
      ? await currentRepository(shown, { stagedFirst: true })
      : undefined;
  const text = repository === undefined ? '' : (await lastSubjects(repository)).join('\n');
  if (text === '') return undefined;
  return { kind: 'changes', label: 'git log', language: commitSubjects, text };
}

async function staged(repository: GitRepository): Promise<Gathered> {
  const { text, secretFiles } = boundedDiff(await repository.diff(true), mostCharacters);
  if (text === '')
    return { refusal: vscode.l10n.t('Nothing is staged. Stage what the commit shall hold first.') };
  const label = vscode.l10n.t('Staged changes');
  return { kind: 'changes', label, language: 'diff', text, note: leftOutNote(secretFiles) };
}

async function everything(repository: GitRepository): Promise<Gathered> {
  const [index, files] = [await repository.diff(true), await repository.diff(false)];
  const parts = [index, files].map((diff) => boundedDiff(diff, mostCharacters / 2));
  const created = newFilesIn(repository)
    .filter((path) => !looksSecret(path))
    .slice(0, mostNewFiles);
  const [ofIndex = '', ofFiles = ''] = parts.map(({ text }) => text);
  const text = [
    ofIndex === '' ? '' : `Staged:\n${ofIndex}`,
    ofFiles === '' ? '' : `Not staged:\n${ofFiles}`,
    created.length === 0 ? '' : `New files:\n${created.join('\n')}`,
  ].filter((part) => part !== '');
  if (text.length === 0)
    return { refusal: vscode.l10n.t('Nothing has changed since the last commit.') };
  const secretFiles = parts.reduce((sum, part) => sum + part.secretFiles, 0);
  return {
    kind: 'changes',
    label: vscode.l10n.t('Changes'),
    language: 'diff',
    text: text.join('\n\n'),
    note: leftOutNote(secretFiles),
  };
}
