import type { Outcome } from './outcome.ts';
import { isPathLike } from './path-like.ts';
import type { Toolbox, Wanted } from './toolbox.ts';

/** What a model says and calls in one go. */
export interface Step {
  readonly say?: string;
  readonly calls: readonly Wanted[];
}

/**
 * Work that goes on over several requests: it yields what to call next and gets what came of it. Every request runs
 * it from its beginning with the results that the conversation holds, so it keeps nothing and decides by them alone.
 */
export type Plan<T = Report> = Generator<Step, T, readonly Outcome[]>;

/** What the person is told in the end. */
export interface Report {
  readonly text: string;
  /** What "it" means in a later clause. */
  readonly paths?: readonly string[];
  readonly word?: string;
  /** Id of a command that runs in the background. */
  readonly command?: string;
}

/** What clauses said before speak of, and what the plans work with. */
export interface Context {
  readonly toolbox: Toolbox;
  /** Paths whose text the person sent along. */
  readonly attached: readonly string[];
  paths: readonly string[];
  word: string | undefined;
  command: string | undefined;
}

/** The person said no; nothing further is tried. */
export class Denial extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('denied');
    this.outcome = outcome;
  }
}

/** Makes the calls; one that the person denied, but with another wish, is made once more as they wish. */
export function* attempt(step: Step): Plan<readonly Outcome[]> {
  const outcomes = yield step;
  const again = outcomes.map((outcome, index) =>
    outcome.kind === 'denied' ? asWished(step.calls[index]!, outcome.reason) : undefined,
  );
  const calls = again.filter((each) => each !== undefined);
  if (calls.length === 0) return outcomes;
  const second = [...(yield { say: 'Then I do it the way you said.', calls })];
  return outcomes.map((outcome, index) =>
    again[index] === undefined ? outcome : (second.shift() ?? outcome),
  );
}

/** As {@link attempt}. @throws Denial when one of the calls was denied for good */
export function* insist(step: Step): Plan<readonly Outcome[]> {
  const outcomes = yield* attempt(step);
  const denied = outcomes.find(({ kind }) => kind === 'denied');
  if (denied !== undefined) throw new Denial(denied);
  return outcomes;
}

/** The same call with another command or another path, when the reason names one. */
function asWished({ name, args }: Wanted, reason: string): Wanted | undefined {
  const quoted = /[`"“]([^`"”]+)[`"”]/.exec(reason)?.[1];
  const plain =
    /\b(?:use|run|try|call it|name it|in|into|to)\s+(?:it\s+)?(\S[^,;]*?)(?:\s+instead)?[.!]?$/i.exec(
      reason,
    )?.[1];
  const wish = quoted ?? plain;
  if (wish === undefined || /^(?:this|that|it|do|be)\b/i.test(wish)) return undefined;
  const key = name === 'run_command' ? 'command' : name === 'rename_file' ? 'to' : 'path';
  if (args[key] === undefined || args[key] === wish) return undefined;
  const fits =
    key === 'command' ? quoted !== undefined || /\buse\b|\brun\b/i.test(reason) : isPathLike(wish);
  const changes = ['create_file', 'rename_file', 'run_command', 'read_file', 'list_directory'];
  return fits && changes.includes(name) ? { name, args: { ...args, [key]: wish } } : undefined;
}
