import type { Recipe } from './request.ts';

type ChangeVerb = 'Add' | 'Change' | 'Remove' | 'Rename';

/** Writes a commit message for a diff, in the style of the most recent commits. */
export const commitMessageRecipe: Recipe = {
  name: 'commit message',
  isAnswerOnly: true,
  matchesRequest: ({ text }) => /^Write the message of a Git commit\b/m.test(text),
  createReply: ({ text }) => {
    const [lastSubject = ''] = readAttachment(text, 'last commits').split('\n');
    const subject = formatSubject(lastSubject, summarizeChanges(parseChanges(text)));
    const draft = [...text.matchAll(/^> (.*)$/gm)].map(([, line = '']) => line).join('\n');
    return draft === '' ? subject : `${draft}\n\n${subject}`;
  },
};

interface FileChange {
  readonly name: string;
  readonly verb: ChangeVerb;
}

/** Patterns of header lines in a diff, each with the verb that describes the change, such as `Rename`. */
const headerPatterns: readonly (readonly [header: RegExp, verb: ChangeVerb])[] = [
  [/^rename from (.*)$/m, 'Rename'],
  [/^new file mode/m, 'Add'],
  [/^deleted file mode/m, 'Remove'],
  [/^/, 'Change'],
];

function parseChanges(text: string): FileChange[] {
  const diffs = readAttachment(text, 'changes').split(/^(?=diff --git )/m);
  const newFiles = readAttachment(text, 'new files').split('\n').filter(Boolean);
  return [
    ...diffs.filter((diff) => diff.startsWith('diff ')).map(parseChange),
    ...newFiles.map((path) => ({ name: getBaseName(path), verb: 'Add' as const })),
  ];
}

function parseChange(diff: string): FileChange {
  const name = getBaseName(/^diff --git a\/.* b\/(.*)$/m.exec(diff)?.[1] ?? '');
  const [header, verb] = headerPatterns.find(([pattern]) => pattern.test(diff))!;
  const oldPath = header.exec(diff)?.[1];
  return { name: oldPath === undefined ? name : `${getBaseName(oldPath)} to ${name}`, verb };
}

const getBaseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const readAttachment = (text: string, label: string): string =>
  new RegExp(`<attachment: ${label}>\\n(\`{3,})\\w*\\n([\\s\\S]*?)\\n\\1\\n</attachment>`).exec(
    text,
  )?.[2] ?? '';

/**
 * Returns a verb and its object for the changes. The verb is `Change` if the files changed in different ways. The
 * object names at most two files.
 */
function summarizeChanges(
  files: readonly FileChange[],
): readonly [verb: ChangeVerb, object: string] {
  const [verb = 'Change', ...otherVerbs] = new Set(files.map((file) => file.verb));
  const [firstName = 'files', secondName, ...otherNames] = files.map(({ name }) => name);
  const otherFilesLabel = otherNames.length === 0 ? secondName : `${otherNames.length + 1} more`;
  return [
    otherVerbs.length > 0 ? 'Change' : verb,
    secondName === undefined ? firstName : `${firstName} and ${otherFilesLabel}`,
  ];
}

const conventionalTypes: Readonly<Record<ChangeVerb, string>> = {
  Add: 'feat',
  Change: 'fix',
  Remove: 'refactor',
  Rename: 'refactor',
};

/**
 * Formats the subject of a commit. If the last subject has a prefix such as `tides: `, uses the same prefix. If this
 * prefix is a conventional commit type such as `fix`, uses the commit type that corresponds to the verb instead.
 */
function formatSubject(lastSubject: string, [verb, object]: readonly [ChangeVerb, string]): string {
  const prefix = /^([\w/-]+)(?:\([^)]*\))?!?: /.exec(lastSubject)?.[1];
  if (prefix === undefined) return `${verb} ${object}`;
  const isConventionalType =
    /^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)$/.test(prefix);
  return `${isConventionalType ? conventionalTypes[verb] : prefix}: ${verb.toLowerCase()} ${object}`;
}
