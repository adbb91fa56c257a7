import {
  type CommitContext,
  DiffReader,
  type FilteredDiff,
  maxDiffLength,
} from '../../conversation/commit-prompt.ts';
import { isLikelySecret } from '../../workspace/secret-file.ts';
import {
  getGitApi,
  type GitRepository,
  listUntrackedFiles,
  streamDiff,
} from '../../platform/git.ts';

/** Changes of a repository that a commit message describes. */
export interface CommitChanges {
  readonly context: CommitContext;
  /** True if no changes are staged. The commit message then describes all changes. */
  readonly isUnstaged: boolean;
  /** Number of files omitted because they may contain secrets. */
  readonly secretFileCount: number;
  readonly isEmpty: boolean;
}

const maxRecentSubjects = 12;

/**
 * Reads the staged changes, or all changes if no changes are staged. Omits files that may contain secrets.
 * @throws an error if Git fails
 */
export async function readChanges(
  repository: GitRepository,
  signal?: AbortSignal,
): Promise<CommitChanges> {
  const isUnstaged = repository.state.indexChanges.length === 0;
  const [filteredDiff, recentSubjects] = await Promise.all([
    readDiff(repository, { isStaged: !isUnstaged, maxLength: maxDiffLength, signal }),
    readRecentSubjects(repository),
  ]);
  const allNewFiles = isUnstaged ? listUntrackedFiles(repository) : [];
  const newFiles = allNewFiles.filter((path) => !isLikelySecret(path));
  return {
    context: {
      diff: filteredDiff.text,
      newFiles,
      recentSubjects,
      draft: repository.inputBox.value,
    },
    isUnstaged,
    secretFileCount: filteredDiff.secretFileCount + allNewFiles.length - newFiles.length,
    isEmpty: filteredDiff.text === '' && newFiles.length === 0,
  };
}

/**
 * Reads a diff up to a length limit, without files that may contain secrets. Call this function only in a trusted
 * workspace, because Git can run programs that a repository configures to convert files.
 * @throws an error if Git fails
 */
export async function readDiff(
  { rootUri }: Pick<GitRepository, 'rootUri'>,
  options: {
    readonly isStaged: boolean;
    readonly maxLength: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<FilteredDiff> {
  const api = await getGitApi();
  if (api === undefined) throw new Error('The Git extension was disabled.');
  const { path: program } = api.git;
  const reader = new DiffReader(options.maxLength);
  await streamDiff({ ...options, program, root: rootUri.fsPath }, (text) => reader.add(text));
  return reader.finish();
}

/**
 * Returns the subjects of the latest commits, newest first. Empty if the repository has no commits.
 */
export async function readRecentSubjects(
  repository: Pick<GitRepository, 'log'>,
): Promise<readonly string[]> {
  const commits = await repository.log({ maxEntries: maxRecentSubjects }).catch(() => []);
  return commits.map(({ message }) => message.split('\n', 1)[0] ?? '');
}
