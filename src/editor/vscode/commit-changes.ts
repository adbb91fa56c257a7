import { filterDiff, type CommitContext } from '../../conversation/commit-prompt.ts';
import { looksSecret } from '../../workspace/secret-file.ts';
import { type GitRepository, untrackedFiles } from '../../platform/git.ts';

/** What a commit would hold, for its message. */
export interface Changes {
  readonly facts: CommitContext;
  /** Nothing is staged, so these are all changes. */
  readonly isUnstaged: boolean;
  /** How many files are left out because they look secret. */
  readonly secretFiles: number;
  readonly isEmpty: boolean;
}

const subjects = 12;

/**
 * What is staged; all changes when nothing is. Files that look secret are left out.
 * @throws what Git says
 */
export async function changesOf(repository: GitRepository): Promise<Changes> {
  const isUnstaged = repository.state.indexChanges.length === 0;
  const [diff, recent] = await Promise.all([
    repository.diff(!isUnstaged),
    lastSubjects(repository),
  ]);
  const sent = filterDiff(diff, Number.POSITIVE_INFINITY);
  const all = isUnstaged ? untrackedFiles(repository) : [];
  const newFiles = all.filter((path) => !looksSecret(path));
  return {
    facts: {
      diff: sent.text,
      newFiles,
      recentSubjects: recent,
      draft: repository.inputBox.value,
    },
    isUnstaged,
    secretFiles: sent.secretFiles + all.length - newFiles.length,
    isEmpty: sent.text === '' && newFiles.length === 0,
  };
}

/** First lines of the last messages, newest first; none where there is no commit yet. */
export async function lastSubjects(
  repository: Pick<GitRepository, 'log'>,
): Promise<readonly string[]> {
  const last = await repository.log({ maxEntries: subjects }).catch(() => []);
  return last.map(({ message }) => message.split('\n', 1)[0] ?? '');
}
