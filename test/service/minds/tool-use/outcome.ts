/** What came back for one call. */
export interface Outcome {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly kind: OutcomeKind;
  /** As the tool said it. */
  readonly text: string;
  /** Why the person said no, in their words; empty when they gave no reason, and for every other kind. */
  readonly reason: string;
}

/** `skipped` was never begun and may be asked for again; of `left-out` the text is not sent any longer. */
export type OutcomeKind = 'done' | 'failed' | 'denied' | 'skipped' | 'left-out';

/** Reads a tool message; tolerant, because a model is told results in words and not in codes. */
export function readOutcome(call: Pick<Outcome, 'name' | 'args'>, text: string): Outcome {
  const kind = kindOf(text, call.name);
  return { ...call, kind, text, reason: kind === 'denied' ? reasonIn(text) : '' };
}

const deniedPatterns = [
  /^[^\n]{0,80}\b(?:person|user|human|rule)s?\b[^\n]{0,40}\b(?:denied|declined|rejected|refused|said no|(?:does|did|do) not (?:allow|want))/i,
  /^(?:error:\s*)?(?:denied|declined|rejected|refused|not allowed)\b/i,
];

const isLeftOut = /^\[this output was left out\b/i;

/** Tools whose deed counts, not what they say of it. */
const changing = new Set([
  'edit_file',
  'create_file',
  'delete_file',
  'rename_file',
  'open_file',
  'show_diff',
]);

const saysError = /^(?:error|failed|tool error|stopped by the person)\b/i;
const nothingDone = /\bnothing was (?:done|changed|written|edited|run)\b/i;
const failedPatterns = [
  /^there is no (?:file|folder|such)\b|\bis a (?:file|folder): use\b|\bdoes not stand in\b/i,
  /\b(?:does not exist|no such file|not found|no match|has changed|was changed|changed since)\b/i,
  /\b(?:could not|cannot|is not (?:a|an|unique)|ambiguous)\b/i,
];

function kindOf(text: string, name: string): OutcomeKind {
  if (/^not run\b/i.test(text)) return 'skipped';
  if (isLeftOut.test(text)) return changing.has(name) ? 'done' : 'left-out';
  const head = text.slice(0, 300);
  // The lines of a file, and the output of a command, may say such things for themselves.
  if (looksLikeLines(head)) return 'done';
  if (deniedPatterns.some((pattern) => pattern.test(head))) return 'denied';
  if (saysError.test(head)) return 'failed';
  if (name === 'run_command') return 'done';
  const [first = ''] = text.trim().split('\n');
  return failedPatterns.some((pattern) => pattern.test(first)) || nothingDone.test(text)
    ? 'failed'
    : 'done';
}

const looksLikeLines = (head: string): boolean =>
  /^\s*\d+\s*[\t:|→]/.test(head) || /^[^\s:]+:\d+[:-]/m.test(head);

function reasonIn(text: string): string {
  const said =
    /\b(?:reason|because|wrote|says|said|answered)\b[^:"“\n]{0,20}[:"“]\s*([^\n]+)/i.exec(
      text,
    )?.[1];
  const afterColon =
    /\b(?:denied|declined|rejected|refused|no|allow(?:ed)?|want)\b[^:\n]*:\s*([^\n]+)/i.exec(
      text,
    )?.[1];
  return (said ?? afterColon ?? '').replace(/^["“'\s]+|["”'\s]+$/g, '');
}

const objects = ['path', 'from', 'command', 'query', 'glob'];

/** What a call is about: a path, a command, what is looked for; empty when it says none of these. */
export const objectOf = ({ args }: Pick<Outcome, 'args'>): string =>
  objects.map((key) => args[key]).find((value) => typeof value === 'string') ?? '';
