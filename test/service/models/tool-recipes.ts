import { isRecord, parseJson } from '../../../src/base/json.ts';
import { type Clause, createPhrasePattern } from './clauses.ts';
import type { LineChange } from './file-edits.ts';
import { performStep, quoteResults, type ToolSteps } from './tool-steps.ts';
import {
  changeFiles,
  fixFailures,
  formatPathList,
  renameEverywhere,
  type AvailableTools,
} from './workspace-steps.ts';

/** An instruction of the user that matches the pattern of a recipe. */
export interface MatchedClause {
  readonly clause: Clause;
  /** Values of the named groups in the pattern, without quotation marks. */
  readonly groups: Readonly<Record<string, string | undefined>>;
  /**
   * Paths in the instruction. If the instruction contains "it" in place of a path, these are the paths of the previous
   * instruction.
   */
  readonly paths: readonly string[];
  /** Id of the background command that was started most recently. */
  readonly commandId: string | undefined;
  readonly tools: AvailableTools;
}

type Args = Readonly<Record<string, unknown>>;

/** Rule that converts an instruction to tool calls. The first matching rule whose tools are all available is used. */
export interface ToolRecipe {
  readonly name: string;
  /** Tools that must all be available. */
  readonly tools: readonly string[];
  readonly pattern: RegExp;
  /**
   * Returns the arguments for the first tool, one entry per parallel call. Returns an empty list if the instruction
   * lacks a required value.
   */
  readonly createArguments?: (match: MatchedClause) => readonly Args[];
  /**
   * Final text, in which `{path}`, `{from}` and `{to}` are replaced with values. Default: a text that quotes the tool
   * results.
   */
  readonly report?: string;
  /**
   * Returns the steps for an instruction whose tool calls need several requests. Returns undefined if the instruction
   * lacks a required value.
   */
  readonly createSteps?: (match: MatchedClause) => ToolSteps | undefined;
}

const identifierPattern = /^[A-Za-z_$][\w$]*$/;
const symbolPattern = '(?:the )?(?:(?:symbol|function|class|variable|constant|method|type) )?';
const readAndEditTools = ['read_file', 'edit_file'];
const createPathArguments = ({ paths }: MatchedClause): readonly Args[] =>
  paths.map((path) => ({ path }));

export const toolRecipes: readonly ToolRecipe[] = [
  {
    name: 'any tool, word for word',
    tools: [],
    pattern: createPhrasePattern('^(?:call|use|invoke|run) (?:the )?tool <name>'),
    createSteps: callTool,
  },
  {
    name: 'run and fix',
    tools: ['run_command', ...readAndEditTools],
    pattern: /^(?:run|execute)\b.*\u2192 (?:fix|repair|correct)\b/i,
    createSteps: ({ clause, tools }) => {
      const command = findCommand(clause);
      const call = command && tools.createCall('run_command', { command });
      return call ? fixFailures(tools, call, command) : undefined;
    },
  },
  {
    name: 'rename or move a file',
    tools: ['rename_file'],
    pattern: createPhrasePattern('^(?:rename|move) (?:the )?(?:file )?<from> (?:to|into|as) <to>'),
    createArguments: ({ clause: { paths }, groups: { from = '', to = '' } }) => {
      const [, folder = '', name = ''] = /^(.*\/)?(.*)$/.exec(from) ?? [];
      const target = to.endsWith('/') ? `${to}${name}` : to.includes('/') ? to : `${folder}${to}`;
      return paths.includes(from) ? [{ from, to: target }] : [];
    },
    report: 'I renamed {from} to {to}.',
  },
  {
    name: 'rename a symbol',
    tools: ['search_text', ...readAndEditTools],
    pattern: createPhrasePattern(
      `^(?:rename|(?=.*\u2192 rename)(?:find|look for|search for)(?: where)?) ${symbolPattern}<from>(?:(?: (?:is|are) (?:defined|declared|used))? \u2192 rename (?:it|them))? (?:to|into) <to>`,
    ),
    createSteps: ({ groups: { from = '', to = '' }, tools, clause: { paths } }) =>
      identifierPattern.test(from) && identifierPattern.test(to)
        ? renameEverywhere(tools, { from, to, paths })
        : undefined,
  },
  {
    name: 'fix the problems of a file',
    tools: ['get_problems', ...readAndEditTools],
    pattern: /^(?:fix|repair|correct)\b.*\b(?:problems?|errors?|warnings?|mistakes?)\b/i,
    createSteps: ({ tools, paths: [path] }) =>
      path === undefined
        ? undefined
        : fixFailures(tools, tools.createCall('get_problems', { path }), path),
  },
  {
    name: 'output of a background command',
    tools: ['read_command_output'],
    pattern: /^(?:read|show|get|check)\b.*\boutput\b/i,
    createArguments: ({ commandId: id }) => (id === undefined ? [] : [{ id }]),
  },
  {
    name: 'stop a background command',
    tools: ['stop_command'],
    pattern: /^(?:stop|end|kill)\b/i,
    createArguments: ({ commandId: id }) => (id === undefined ? [] : [{ id }]),
  },
  {
    name: 'run a command',
    tools: ['run_command'],
    pattern: /^(?:run|execute|start)\b/i,
    createArguments: ({ clause }) => {
      const command = findCommand(clause);
      return command === undefined ? [] : [{ command }];
    },
  },
  {
    name: 'ask the user',
    tools: ['ask_user'],
    pattern: /^ask me\b/i,
    createArguments: ({ clause: { unmaskedText } }) => {
      const [, topic = '', list = ''] = /^ask me (?:about )?([^:]*)(?::\s*(.*))?$/is.exec(
        unmaskedText,
      )!;
      const unquotedTopic = topic.replaceAll(/["`“”]/g, '');
      const choices = list.split(/\s*,\s*(?:or\s+)?|\s+or\s+/).filter(Boolean);
      const question = `${unquotedTopic.charAt(0).toUpperCase()}${unquotedTopic.slice(1)}`.replace(
        /\??$/,
        '?',
      );
      return [{ question, ...(choices.length > 0 && { choices }) }];
    },
  },
  {
    name: 'replace text',
    tools: readAndEditTools,
    pattern: createPhrasePattern(
      '^(?:replace|change|swap|turn) (?:all |every )?<from> (?:with|to|by|into) <to>',
    ),
    createSteps: (match) => {
      const { from = '', to = '' } = match.groups;
      return editFile(match, (line) => line.replaceAll(from, to));
    },
  },
  {
    name: 'delete files',
    tools: ['delete_file'],
    pattern: /^(?:delete|remove|trash)\b(?!.*\blines?\b)/i,
    createArguments: createPathArguments,
    report: 'I deleted {path}.',
  },
  {
    name: 'create a file',
    tools: ['create_file'],
    pattern: /^create\b|^(?:make|write|add) an? (?:new |empty )*file\b/i,
    createArguments: ({ clause: { paths, literals } }) => {
      const path = paths[0] ?? literals[0];
      const content = literals.find((literal) => literal !== path)?.replaceAll('\\n', '\n') ?? '';
      return path === undefined ? [] : [{ path, content: content.replace(/([^\n])$/, '$1\n') }];
    },
    report: 'I created {path}.',
  },
  {
    name: 'append a line',
    tools: readAndEditTools,
    pattern: /^(?:append|add)\b/i,
    createSteps: (match) => {
      const [text] = match.clause.literals;
      if (text === undefined) return undefined;
      return editFile(match, (line, lineNumber, lastLineNumber) =>
        lineNumber === lastLineNumber ? `${line}\n${text}` : line,
      );
    },
  },
  {
    name: 'problems',
    tools: ['get_problems'],
    pattern:
      /^(?:what|which|are there|does|show|list|check)\b.*\b(?:problems?|errors?|warnings?)\b/i,
    createArguments: (match) =>
      /\b(?:workspace|project)\b/i.test(match.clause.text) ? [{}] : createPathArguments(match),
  },
  {
    name: 'find files',
    tools: ['find_files'],
    pattern: createPhrasePattern(
      '^(?:find|list|show|which)\\b.*?\\bfiles? (?:named|called|like|matching) <glob>',
    ),
    createArguments: ({ groups: { glob = '' } }) => {
      if (glob.includes('/')) return [{ glob }];
      return [{ glob: /[*?.]/.test(glob) ? `**/${glob}` : `**/*${glob}*` }];
    },
  },
  {
    name: 'open files',
    tools: ['open_file'],
    pattern: /^(?:open|go to)\b/i,
    createArguments: createPathArguments,
    report: 'I opened {path} in the editor.',
  },
  {
    name: 'read files',
    tools: ['read_file'],
    pattern:
      /^(?:read|show|print|cat|explain|describe|review)\b(?!.*\b(?:diff|symbols)\b)|^what(?:'s| is) in\b|^what does\b.*\bdo$/i,
    createArguments: ({ paths, clause: { text } }) => {
      const [, firstLine, lastLine = firstLine] =
        /\blines? (\d+)(?: (?:to|-|and) (\d+))?/i.exec(text) ?? [];
      const lines = firstLine && { start_line: Number(firstLine), end_line: Number(lastLine) };
      return paths.filter((path) => !path.endsWith('/')).map((path) => ({ path, ...lines }));
    },
  },
  {
    name: 'list a folder',
    tools: ['list_directory'],
    pattern: createPhrasePattern(
      '^(?:list|ls) (?:the )?(?:folder )?<folder>$|^(?:list|show|which|what)\\b.*?\\b(?:files?|folders?|directory)\\b(?: (?:are )?(?:in|of) (?:the )?(?:folder )?<folder>|$)',
    ),
    createArguments: ({ groups: { folder = '.' } }) => [
      { path: /^(?:workspace|project|files)$/i.test(folder) ? '.' : folder },
    ],
  },
  {
    name: 'search for text',
    tools: ['search_text'],
    pattern: createPhrasePattern(
      '^(?:(?:search(?: for)?(?! the web)|grep|look for)(?: the)?(?: (?:word|text|regex))?|find(?= \u27e6)) <query>(?: in (?:the )?(?:folder )?<where>)?',
    ),
    createArguments: ({ groups: { query, where: searchFolder = '' } }) => {
      const isWholeWorkspace = /^(?:workspace|project|all|)$/i.test(searchFolder);
      const include = /[*.]/.test(searchFolder)
        ? searchFolder
        : `${searchFolder.replace(/\/$/, '')}/**`;
      return [{ query, ...(!isWholeWorkspace && { include }) }];
    },
  },
];

function callTool({ clause, groups: { name = '' }, tools }: MatchedClause): ToolSteps {
  const json = parseJson(clause.literals.find((literal) => literal.startsWith('{')) ?? '{}');
  const call = { name, args: isRecord(json) ? json : {} };
  const callCount = Math.min(200, Number(/\b(\d+) times\b/i.exec(clause.text)?.[1] ?? 1));
  const calls = Array.from({ length: callCount }, () => call);
  const isParallel = /\bat once\b/i.test(clause.text);
  return (function* (): ToolSteps {
    if (!tools.hasTools(name)) return { text: `I was not given a tool named \`${name}\`.` };
    let outcomes = yield* performStep({ calls: isParallel ? calls : [call] });
    if (!isParallel)
      for (const nextCall of calls.slice(1)) outcomes = yield* performStep({ calls: [nextCall] });
    return { text: quoteResults(outcomes) };
  })();
}

function editFile({ tools, paths }: MatchedClause, change: LineChange): ToolSteps | undefined {
  if (paths.length === 0) return undefined;
  return (function* (): ToolSteps {
    const { changedFiles, problems } = yield* changeFiles(tools, { paths, change });
    const reports = changedFiles.length === 0 ? [] : [`I changed ${formatPathList(changedFiles)}.`];
    return { text: [...reports, ...problems].join(' '), paths: changedFiles };
  })();
}

/** Matches an instruction with a known command that is not in quotation marks, for example `Run npm test`. */
const plainCommandPattern =
  /^\w+ (?:the )?(?:command )?((?:npm|npx|pnpm|yarn|node|python3?|pytest|cargo|go|make|git|ls|cat|echo|sleep|tsc)\b.*?)(?: in the background\b.*| \u2192.*)?$/i;

/** Patterns of common names such as "tests", each with the command that the name refers to. */
const namedCommands: readonly (readonly [pattern: RegExp, command: string])[] = [
  [/\btests?\b/i, 'npm test'],
  [/\bbuild\b/i, 'npm run build'],
];

const findCommand = ({ text, literals }: Clause): string | undefined =>
  literals[0]?.trim() ??
  plainCommandPattern.exec(text)?.[1] ??
  namedCommands.find(([pattern]) => pattern.test(text))?.[1];
