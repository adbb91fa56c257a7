import * as l10n from '@vscode/l10n';
import { redact } from '../../base/redact.ts';
import { isLikelySecret } from '../../workspace/secret-file.ts';
import { findSensitiveReason } from '../../workspace/sensitive-files.ts';
import type { ShellKind, SyntaxNode } from './command-line.ts';
import { isReadingCmdlet, hasProviderOrDrive } from './reading-cmdlets.ts';
import { type Reason, requireApproval, type Verdict } from '../../workspace/verdict.ts';

/** Maximum length in characters of a command line that the rules check. A longer line always requires approval. */
export const maxCheckedLength = 10_000;

/**
 * Checks the characters of a command line, without parsing it. Refuses characters that control a terminal or that the
 * user cannot see.
 */
export function checkCommandText(text: string): readonly Verdict[] {
  return textChecks
    .filter(({ matches }) => matches(text))
    .map(({ createVerdict }) => createVerdict());
}

/** Maximum length in characters of a line to type into a terminal. A longer line would take seconds to type. */
const maxTypedLength = 4_000;

/**
 * Checks whether an interactive shell runs a typed line exactly as a shell that receives the line as an argument.
 * Interactive shells expand `!` and a first `^` from their history, and complete words at a tab. They wait for more
 * text after a line break, an open quote or a final escape. In some locales, they treat non-ASCII characters as keys.
 */
export const canTypeInShell = (commandLine: string, tree: SyntaxNode | undefined): boolean =>
  tree?.hasError === false &&
  commandLine.length <= maxTypedLength &&
  /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/u.test(commandLine) &&
  !/!(?![ =]|$)|^\^|[\\`]$/u.test(commandLine);

interface TextCheck {
  readonly matches: (text: string) => boolean;
  readonly createVerdict: () => Verdict;
}

const createRefusal = (code: string, text: string): Verdict => ({
  ...requireApproval({ code, text }),
  decision: 'refuse',
});

const textChecks: readonly TextCheck[] = [
  {
    // A terminal treats a carriage return as Enter; a parser treats it as a blank.
    matches: (text) => /(?![\n\t])[\p{Cc}\u2028\u2029]/u.test(text) || !text.isWellFormed(),
    createVerdict: () =>
      createRefusal(
        'control-characters',
        l10n.t(
          'The command has control characters, such as carriage returns or escapes. Write it without them.',
        ),
      ),
  },
  {
    matches: (text) =>
      /(?! )[\p{Cf}\p{Zs}\p{Co}\p{Cn}]|[\p{Variation_Selector}\u034f\u115f\u1160\u2800\u3164\uffa0]/u.test(
        text,
      ),
    createVerdict: () =>
      requireApproval({
        code: 'hidden-characters',
        text: l10n.t('It has characters that cannot be seen.'),
      }),
  },
  {
    matches: (text) => /[ \t]{9}|\n(?:[ \t]*\n){4}/u.test(text),
    createVerdict: () =>
      requireApproval({
        code: 'padding',
        text: l10n.t('It contains long gaps that could hide a part of it.'),
      }),
  },
  {
    matches: looksLikeSecret,
    createVerdict: () =>
      requireApproval({ code: 'secret', text: l10n.t('It seems to hold a password or a key.') }),
  },
  {
    matches: (text) => text.length > maxCheckedLength,
    createVerdict: () =>
      requireApproval({ code: 'too-long', text: l10n.t('It is too long to be checked.') }),
  },
];

/**
 * Checks for a Bash redirection that neither reads nor writes a file.
 * @param text Redirection as written. Blanks are allowed only before the destination.
 */
export const isHarmlessRedirect = (text: string): boolean =>
  /^(?:[12]?>&[12]|(?:[12]?>|&>|<)[ \t]*\/dev\/null)$/u.test(text);

/** Patterns of keys and tokens. All repetitions are bounded, so that a hostile command cannot slow down the check. */
const secretPatterns: readonly RegExp[] = [
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|credential)s?["']?[=:]["']?[^\s"']/iu,
  /--?(?:password|passphrase|token|secret|api-key|access-key)[ =]/iu,
  /\b(?:sk|pk|rk|gh[pousr]|glpat|xox[abposr]|npm|pypi|hf|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16}/u,
  /\b[0-9a-f]{32}\b/iu,
  /:\/\/[^\s/@:]{1,200}:[^\s/@]{1,200}@/u,
];

function looksLikeSecret(text: string): boolean {
  return secretPatterns.some((pattern) => pattern.test(text)) || redact(text) !== text;
}

/**
 * Checks whether a program treats all of its words as text, so that it opens no file.
 * @param name As returned by `getProgramName`.
 */
export const takesTextOnly = (name: string, shell: ShellKind): boolean =>
  shell === 'bash' && textPrograms.has(name);

const textPrograms: ReadonlySet<string> = new Set(
  'echo printf basename dirname seq expr numfmt'.split(' '),
);

/**
 * Returns the reason why a word of a command requires approval: it names a path outside the workspace, a secret file or
 * another machine. Returns undefined for any other word.
 * @param name Program of the command, as returned by `getProgramName`.
 */
export function findUnsafeWordReason(
  word: string,
  shell: ShellKind,
  name: string,
): Reason | undefined {
  if (/:\/\/|^[\w.-]+@[\w.-]+:/u.test(word)) return unsafeWordReasons.network();
  const parts = word.split(/[=:,@]/u);
  const paths = [word, ...parts].filter((part) => !safeWords.has(part));
  if (paths.some(leavesWorkspace) || (shell === 'powershell' && leavesDrive(word, name)))
    return unsafeWordReasons.outside();
  if (paths.some((part) => isLikelySecret(part.replaceAll('\\', '/'))))
    return unsafeWordReasons.secret();
  return undefined;
}

/**
 * Checks whether a word names a path on another drive or in a PowerShell provider, such as `D:x`, `Temp:` or
 * `Environment::`.
 */
function leavesDrive(word: string, name: string): boolean {
  const isCmdlet = /^[a-z]+-[a-z]+$/u.test(name) || isReadingCmdlet(name);
  return (
    word.split(/[=,@]/u).some((part) => /^[A-Za-z]:/u.test(part)) ||
    (isCmdlet && hasProviderOrDrive(name, word))
  );
}

/**
 * Returns the reason to require approval if a word names a file that programs run or read as configuration. The name
 * can follow `=`, `:`, `,` or `@` in the word. Returns undefined for any other word. Used only for programs that may
 * write files.
 */
export function findSensitivePathReason(word: string): Reason | undefined {
  return [word, ...word.split(/[=:,@]/u)]
    .filter((part) => !taskNames.has(part))
    .map(findSensitiveReason)
    .find((reason) => reason !== undefined);
}

/**
 * Task names that differ from names of build files only in letter case. For example, `build` is a task, and `BUILD` is
 * a build file.
 */
const taskNames: ReadonlySet<string> = new Set(['build', 'workspace', 'targets', 'deps']);

const safeWords: ReadonlySet<string> = new Set(['/dev/null', '-', '']);

const unsafeWordReasons = {
  network: () => ({ code: 'network', text: l10n.t('It can reach the network.') }),
  outside: () => ({
    code: 'outside-workspace',
    text: l10n.t('The path is outside the workspace.'),
  }),
  secret: () => ({
    code: 'secret-file',
    text: l10n.t('It names a file that may contain keys or passwords.'),
  }),
} satisfies Record<string, () => Reason>;

/**
 * Checks whether a part of a word is a path with `..`, or a path from the root, the home folder or a drive. The path
 * can be attached to a short option.
 */
function leavesWorkspace(wordPart: string): boolean {
  const path = wordPart.replace(/^-[A-Za-z]/u, '');
  return (
    /^[/\\~]/u.test(path) ||
    /^[A-Za-z]:(?:[/\\]|$)/u.test(wordPart) ||
    path.split(/[/\\]/u).includes('..')
  );
}
