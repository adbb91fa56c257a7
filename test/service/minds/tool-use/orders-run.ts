import type { Clause } from './clauses.ts';
import { fixWhatFails } from './fix-plan.ts';
import { named, pathsFor, quotedIn, type ReadOrder, wish } from './order.ts';
import type { Outcome } from './outcome.ts';
import type { Report } from './plan.ts';
import { quoteResults } from './quote-results.ts';

const runVerb = /^(?:run|execute|start|launch|build|compile|lint|test)\b/i;

/** "Run the tests and fix what fails": one wish over two clauses. */
export const runAndFix: ReadOrder = (clause, { toolbox }) => {
  const { text } = clause;
  if (!toolbox.has('run_command', 'read_file', 'edit_file')) return undefined;
  const asked =
    /\b(?:fix|repair|correct)\b.*\b(?:fail\w*|broken|it|them|problems?|errors?|wrong|breaks?|tests?|bugs?|rest|cause|code|whatever|everything|any\w*)\b/i.test(
      text,
    );
  if (!asked || !/\b(?:run|execute|tests?|build|check)\b/i.test(text)) return undefined;
  const command = commandFor(clause);
  if (command === undefined) return undefined;
  const check = toolbox.call('run_command', { command });
  return { plan: () => fixWhatFails(check, command, toolbox) };
};

/** "Fix the problems of a.ts": what the editor says of the file is what has to pass. */
const fixProblems: ReadOrder = (clause, context) => {
  const { toolbox } = context;
  const [path] = pathsFor(clause, context);
  const asked = /^(?:fix|repair|correct)\b.*\b(?:problems?|errors?|warnings?|mistakes?|bugs?)\b/i;
  if (!asked.test(clause.text) || path === undefined) return undefined;
  if (!toolbox.has('get_problems', 'read_file', 'edit_file')) return undefined;
  const check = toolbox.call('get_problems', { path });
  return { plan: () => fixWhatFails(check, path, toolbox) };
};

const runCommand: ReadOrder = (clause, { toolbox }) => {
  if (!runVerb.test(clause.text) || !toolbox.has('run_command')) return undefined;
  const command = commandFor(clause);
  if (command === undefined) return undefined;
  const { text } = clause;
  const cwd = named(
    wish('\\b(?:in|from|inside)\\s+(?:the\\s+)?(?:folder|directory)\\s+(?<cwd>THING)').exec(text) ??
      wish('LITERAL\\s+(?:in|from|inside)\\s+(?<cwd>(?!the\\b)THING)').exec(text),
    'cwd',
    clause,
  );
  const limit = /\b(?:timeout of|at most|within|up to|for)\s+(\d+)\s*(?:s\b|sec)/i.exec(text)?.[1];
  const call = toolbox.call('run_command', {
    command,
    cwd,
    timeout_seconds: limit === undefined ? undefined : Number(limit),
    background: /\bin the background\b/i.test(text) ? true : undefined,
  });
  return { calls: [call], tell: toldOfCommand };
};

function toldOfCommand(outcomes: readonly Outcome[]): Report {
  const [first = ''] = outcomes.map(({ text }) => text.split('\n', 1)[0] ?? '');
  const command = /\bin the background as ([\w-]+)/.exec(first)?.[1];
  return { text: quoteResults(outcomes), ...(command !== undefined && { command }) };
}

const aboutCommand =
  /^(?:read|show|get|check|look at|see)\b.*\b(?:its|the|more|new|command) (?:command )?output\b|^(?:stop|end|kill)\b.*\b(?:it|command|server|process|command-\d+)\b/i;

/** What a command in the background printed, or its end. */
const background: ReadOrder = (clause, { toolbox, command }) => {
  const { text } = clause;
  const name = /^(?:stop|end|kill)\b/i.test(text) ? 'stop_command' : 'read_command_output';
  if (!aboutCommand.test(text) || !toolbox.has(name)) return undefined;
  const id = /\bcommand-\d+\b/.exec(text)?.[0] ?? quotedIn(clause) ?? command;
  if (id === undefined) return undefined;
  const wait = /\b(\d+)\s*(?:s\b|sec)/i.exec(text)?.[1];
  const wait_seconds = wait === undefined ? undefined : Number(wait);
  return { calls: [toolbox.call(name, { id, wait_seconds })], tell: toldOfCommand };
};

const usual: readonly { readonly pattern: RegExp; readonly command: string }[] = [
  { pattern: /\bpytest|\bpython tests?\b/i, command: 'pytest' },
  { pattern: /\bcargo\b|\brust tests?\b/i, command: 'cargo test' },
  { pattern: /\bgo tests?\b/i, command: 'go test ./...' },
  { pattern: /\b(?:unit |the |all |failing |my )*tests?(?: suite)?\b/i, command: 'npm test' },
  { pattern: /\bbuild\b|\bcompile\b/i, command: 'npm run build' },
  { pattern: /\blint(?:er)?\b/i, command: 'npm run lint' },
  { pattern: /\btype ?check(?:er)?\b/i, command: 'npm run typecheck' },
];

/** What is quoted, else a command written out after the verb, else the usual one for what is named. */
function commandFor(clause: Clause): string | undefined {
  const literal = clause.text.includes('\u27e6') ? firstCode(clause) : undefined;
  if (literal !== undefined) return literal.trim();
  const spelt = /\b(?:run|execute)\s+(?:the\s+|this\s+)?(?:shell\s+)?command:?\s+(.+)$/i.exec(
    clause.text,
  )?.[1];
  if (spelt !== undefined) return spelt;
  const rest =
    /\b(?:run|execute|start|launch)\s+(?:the\s+)?(?:command\s+|script\s+)?(.+?)(?:\s+(?:in the (?:background|terminal|shell|workspace)|and (?:fix|tell|show|then)|in the folder|please|for me|again)\b.*)?$/i.exec(
      clause.text,
    )?.[1];
  if (
    rest !== undefined &&
    /^(?:npm|npx|pnpm|yarn|node|python3?|pytest|cargo|go|make|git|ls|cat|echo|pwd|sleep|exit|sh|bash|rm|tsc|deno|bun|printf|true|false|sudo|curl)\b/.test(
      rest,
    )
  ) {
    return rest;
  }
  return usual.find(({ pattern }) => pattern.test(clause.text))?.command;
}

function firstCode({ text, masked }: Clause): string | undefined {
  const indexes = [...text.matchAll(/\u27e6(\d+)\u27e7/g)].map(([, index]) => Number(index));
  return indexes
    .map((index) => masked.literals[index])
    .find((literal) => literal !== undefined && literal.kind !== 'json')?.value;
}

const askUser: ReadOrder = (clause, { toolbox }) => {
  const { text } = clause;
  if (!/^ask me\b/i.test(text) || !toolbox.has('ask_user')) return undefined;
  const { question, choices } = questionIn(clause);
  const call = toolbox.call('ask_user', { question, ...(choices.length > 1 && { choices }) });
  const tell = ([answer]: readonly Outcome[]): Report => {
    const said = answer?.text.trim() ?? '';
    return { text: `You answered: ${said}`, word: /[`"“]([^`"”]+)[`"”]/.exec(said)?.[1] ?? said };
  };
  return { calls: [call], tell };
};

function questionIn(clause: Clause): { question: string; choices: string[] } {
  const { text, masked } = clause;
  const quoted = quotedIn(clause);
  const said = quoted ?? text.replace(/^ask me\s*(?:about\s+)?/i, '');
  const tail = /(?::|\bchoices?:?|\boptions?:?|\bfrom\b|\bbetween\b)\s*([^:]+)$/i.exec(
    quoted === undefined ? said : text,
  );
  const list =
    tail?.[1] ??
    (quoted === undefined
      ? /\b(\w[\w.-]*(?:,\s*\w[\w.-]*)*,?\s+or\s+\w[\w.-]*)$/i.exec(said)?.[1]
      : undefined);
  const choices = (list ?? '')
    .split(/\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+/)
    .map((each) =>
      each
        .replaceAll(
          /\u27e6(\d+)\u27e7/g,
          (_, index: string) => masked.literals[Number(index)]?.value ?? '',
        )
        .trim(),
    )
    .filter((each) => each !== '' && each !== quoted);
  const bare =
    quoted ?? (tail === null ? said : said.slice(0, Math.max(0, said.length - tail[0].length)));
  const question = bare.replace(/[\s:,]+$/, '').replace(/\s+with$/i, '');
  return { question: question.endsWith('?') ? question : `${capital(question)}?`, choices };
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export const runOrders: readonly ReadOrder[] = [fixProblems, background, runCommand, askUser];
