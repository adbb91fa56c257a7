import { isRecord, parseJson } from '../../../src/base/json.ts';
import type { Message } from '../chat/body.ts';
import { getMessageText } from '../chat/messages.ts';
import { unwrapDeferredCall } from './listed-tools.ts';
import type { PlannedCall } from './request.ts';

/** Introductory text and parallel tool calls of one reply. */
export interface ToolStep {
  readonly introduction?: string;
  readonly calls: readonly PlannedCall[];
}

/** Final text after all steps. In a later clause of the request, "it" refers to these `paths` or this `commandId`. */
export interface ToolReport {
  readonly text: string;
  readonly paths?: readonly string[];
  /** Id of a background command. */
  readonly commandId?: string;
}

/**
 * Tool calls that need several requests. The generator yields the next calls and receives their outcomes. The service
 * stores no state: each request runs the generator again from its start, with the outcomes in the conversation.
 */
export type ToolSteps<T = ToolReport> = Generator<ToolStep, T, readonly Outcome[]>;

export interface Outcome extends PlannedCall {
  readonly kind: 'done' | 'failed' | 'denied' | 'not-run';
  readonly text: string;
}

/** Patterns for the start of a tool result, each with the kind of outcome. In order of precedence. */
const outcomeKindPatterns: readonly (readonly [pattern: RegExp, kind: Outcome['kind']])[] = [
  [/^not run\b/i, 'not-run'],
  [/^(?:[^\s:]+:)?\d+[\t:]/, 'done'],
  [/^the (?:person|user) (?:denied|declined)\b|^(?:denied|not allowed)\b/i, 'denied'],
  [/^(?:error|failed|tool error|there is no|nothing was|the arguments do not fit)\b/i, 'failed'],
  [
    /^[^\n]*\b(?:does not exist|was not changed|has changed|not found|is a (?:file|folder): use)\b/i,
    'failed',
  ],
  [/^/, 'done'],
];

/**
 * Matches the text that the client sends in place of a removed tool result. The model then repeats the call if the call
 * only reads.
 */
const removedResultPattern = /^\[this output was left out\b/i;
const mutatingNamePattern = /^(?:edit|create|delete|rename|open|show)_/;

/** Returns the outcomes of all answered calls, in the order of the calls. */
export function listOutcomes(messages: readonly Message[]): Outcome[] {
  const resultsById = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, getMessageText(message)] as const] : [],
    ),
  );
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return (message.tool_calls ?? []).flatMap(
      ({ id, function: { name: sentName, arguments: json } }) => {
        const text = resultsById.get(id);
        const sentArgs = parseJson(json);
        if (text === undefined) return [];
        const { name, args } = unwrapDeferredCall({
          name: sentName,
          args: isRecord(sentArgs) ? sentArgs : {},
        });
        return [{ name, args, text, kind: detectOutcomeKind(name, text) }];
      },
    );
  });
}

function detectOutcomeKind(name: string, text: string): Outcome['kind'] {
  if (removedResultPattern.test(text)) return mutatingNamePattern.test(name) ? 'done' : 'not-run';
  // The output of a successful command can match the pattern for a failed call.
  const kind = outcomeKindPatterns.find(([pattern]) => pattern.test(text))?.[1] ?? 'done';
  return name === 'run_command' && kind === 'failed' ? 'done' : kind;
}

/**
 * Runs the steps with the outcomes in the conversation. Returns the next calls that have no outcome. If there are none,
 * returns the final text without calls.
 */
export function getNextStep(
  steps: ToolSteps,
  knownOutcomes: readonly Outcome[],
  isParallel: boolean,
): ToolStep {
  const unusedOutcomes = knownOutcomes.filter(({ kind }) => kind !== 'not-run');
  let step = steps.next();
  while (step.done !== true) {
    const { introduction = '', calls } = step.value;
    const foundOutcomes = calls.map((call) => takeOutcome(unusedOutcomes, call));
    const missingCalls = calls.filter((_, index) => foundOutcomes[index] === undefined);
    if (missingCalls.length > 0) {
      const hasStarted = missingCalls.length < calls.length;
      return {
        introduction: hasStarted ? '' : introduction,
        calls: isParallel ? missingCalls : missingCalls.slice(0, 1),
      };
    }
    step = steps.next(foundOutcomes.filter((outcome) => outcome !== undefined));
  }
  return { introduction: step.value.text, calls: [] };
}

function takeOutcome(outcomes: Outcome[], call: PlannedCall): Outcome | undefined {
  const key = createCallKey(call);
  const index = outcomes.findIndex((outcome) => createCallKey(outcome) === key);
  return index < 0 ? undefined : outcomes.splice(index, 1)[0];
}

/**
 * Returns a string that is equal for calls of the same tool with equal arguments. The order of the arguments has no
 * effect.
 */
const createCallKey = ({ name, args }: PlannedCall): string =>
  JSON.stringify([name, Object.entries(args).toSorted(([a], [b]) => a.localeCompare(b))]);

/** Thrown after the user denied a call, to end the steps. */
export class CallDeniedError extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('denied');
    this.outcome = outcome;
  }
}

/**
 * Requests the calls of a step and returns their outcomes.
 * @throws CallDeniedError if the user denied one of the calls
 */
export function* performStep(step: ToolStep): ToolSteps<readonly Outcome[]> {
  const outcomes = yield step;
  const deniedOutcome = outcomes.find(({ kind }) => kind === 'denied');
  if (deniedOutcome !== undefined) throw new CallDeniedError(deniedOutcome);
  return outcomes;
}

export const getFirstLine = (text = ''): string => text.trim().split('\n', 1)[0] ?? '';

const maxQuotedResults = 20;

/** Returns the first lines of each tool result as a Markdown quotation. */
export function quoteResults(outcomes: readonly Pick<Outcome, 'name' | 'text'>[]): string {
  const quotes = outcomes.map(({ name, text }) => {
    const lines = text.trimEnd().split('\n');
    const lineCountText = lines.length === 1 ? 'one line' : `${lines.length} lines`;
    const quotedLines = lines.slice(0, maxQuotedResults).join('\n');
    const runs = quotedLines.match(/`+/g) ?? [];
    const fence = '`'.repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
    return `\`${name}\` returned ${lineCountText}:\n\n${fence}text\n${quotedLines}\n${fence}`;
  });
  return quotes.join('\n\n');
}
