import { filterDiff, type CommitContext } from '../../conversation/commit-prompt.ts';
import { looksSecret } from '../../workspace/secret-file.ts';
import { type GitRepository, untrackedFiles } from '../../platform/git.ts';

/** Changes that a commit message describes. */
export interface Changes {
  readonly facts: CommitContext;
  /** True if nothing is staged, so that all changes are included. */
  readonly isUnstaged: boolean;
  /** Number of files omitted because they may contain secrets. */
  readonly secretFiles: number;
  readonly isEmpty: boolean;
}

const subjects = 12;

/**
 * Reads the staged changes, or all changes if nothing is staged. Omits files that may contain
 * secrets.
 * @throws the error of Git
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

/** Returns the subjects of the latest commits, newest first. Empty before the first commit. */
export async function lastSubjects(
  repository: Pick<GitRepository, 'log'>,
): Promise<readonly string[]> {
  const last = await repository.log({ maxEntries: subjects }).catch(() => []);
  return last.map(({ message }) => message.split('\n', 1)[0] ?? '');
}
