import { isRecord, parseJson } from '../../../../src/base/json.ts';
import type { ChatBody, FunctionTool, Message } from '../../chat/body.ts';
import { readCall } from '../../chat/call.ts';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { Vocabulary } from '../../vocabulary.ts';
import { answer } from '../answer.ts';
import { objectOf } from './outcome.ts';

type Args = Readonly<Record<string, unknown>>;

/** What a tool says to a call. */
export type Respond = (args: Args) => string;

const text = { type: 'string' };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };

const parameters: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  read_file: { path: text, start_line: integer, end_line: integer },
  list_directory: { path: text },
  find_files: { glob: text },
  search_text: {
    query: text,
    regex: flag,
    include: text,
    exclude: text,
    context_lines: integer,
    max_results: integer,
  },
  get_problems: { path: text },
  find_symbols: { query: text, path: text },
  go_to_definition: { path: text, line: integer, symbol: text },
  find_references: { path: text, line: integer, symbol: text },
  edit_file: { path: text, edits: { type: 'array' } },
  create_file: { path: text, content: text },
  delete_file: { path: text },
  rename_file: { from: text, to: text },
  run_command: { command: text, cwd: text, timeout_seconds: integer, background: flag },
  read_command_output: { id: text, wait_seconds: integer },
  stop_command: { id: text },
  open_file: { path: text, line: integer },
  show_diff: { path: text },
  ask_user: { question: text, choices: { type: 'array' } },
};

export const toolNames: readonly string[] = Object.keys(parameters);

export const toolNamed = (name: string): FunctionTool => ({
  type: 'function',
  function: {
    name,
    description: '',
    parameters: { type: 'object', properties: parameters[name] ?? {} },
  },
});

/** A workspace in memory with tools that work on it: the client's side of a conversation, as short as can be. */
export class Workspace {
  readonly files: Map<string, string>;
  readonly #answers = new Map<string, Respond[]>();

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.files = new Map(Object.entries(files));
  }

  /** The next calls of this tool are answered so, one each, before it works by itself. */
  reply(name: string, ...answers: readonly (string | Respond)[]): this {
    const known = this.#answers.get(name) ?? [];
    const more = answers.map((each) => (typeof each === 'string' ? () => each : each));
    this.#answers.set(name, [...known, ...more]);
    return this;
  }

  call(name: string, args: Args): string {
    const planned = this.#answers.get(name)?.shift();
    return planned === undefined ? this.#work(name, args) : planned(args);
  }

  #work(name: string, args: Args): string {
    const path = objectOf({ args });
    const content = this.files.get(path);
    switch (name) {
      case 'read_file':
        return content === undefined ? `${path} does not exist.` : numbered(content);
      case 'edit_file':
        return this.#edit(path, args['edits']);
      case 'create_file':
        this.files.set(path, String(args['content']));
        return `Created ${path}.`;
      case 'delete_file':
        return this.files.delete(path) ? `Deleted ${path}.` : `${path} does not exist.`;
      case 'rename_file':
        this.files.delete(path);
        this.files.set(String(args['to']), content ?? '');
        return 'Renamed.';
      case 'search_text':
        return this.#search(String(args['query']));
      case 'find_files':
        return this.#find(String(args['glob']));
      default:
        return 'ok';
    }
  }

  #edit(path: string, edits: unknown): string {
    let content = this.files.get(path);
    if (content === undefined || !Array.isArray(edits)) return `${path} does not exist.`;
    for (const edit of edits.filter(isRecord)) {
      const search = String(edit['search']);
      const parts: string[] = content.split(search);
      if (parts.length !== 2)
        return `Nothing was changed: ${parts.length - 1} places fit in ${path}.`;
      content = parts.join(String(edit['replace']));
    }
    this.files.set(path, content);
    return `Edited ${path}.`;
  }

  #search(query: string): string {
    const rows = [...this.files].flatMap(([path, content]) =>
      content
        .split('\n')
        .flatMap((line, index) => (line.includes(query) ? [`${path}:${index + 1}: ${line}`] : [])),
    );
    return rows.length === 0 ? 'No results.' : rows.join('\n');
  }

  #find(glob: string): string {
    const pattern = glob
      .replaceAll('.', '\\.')
      .replaceAll('**/', '(?:.*/)?')
      .replace('**', '.*')
      .replaceAll(/(?<!\))\*/g, '[^/]*');
    const found = [...this.files.keys()].filter((path) => new RegExp(`^${pattern}$`).test(path));
    return found.length === 0 ? 'No files found.' : found.join('\n');
  }
}

const numbered = (content: string): string =>
  content
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => `${index + 1}\t${line}`)
    .join('\n');

export interface Transcript {
  /** `name {arguments}`, the calls of one round in one list. */
  readonly rounds: readonly (readonly string[])[];
  readonly answer: string;
}

const world = { words: new Vocabulary('service'), catalogue: new Catalogue(), seed: 1 };

/** Lets a model work on a request until it calls nothing more. */
export async function letWork(
  request: string,
  workspace: Workspace,
  options: { readonly tools?: readonly string[]; readonly body?: Partial<ChatBody> } = {},
): Promise<Transcript> {
  const messages: Message[] = [{ role: 'user', content: request }];
  const tools = (options.tools ?? toolNames).map(toolNamed);
  const rounds: string[][] = [];
  for (let round = 0; round < 500; round++) {
    const body = { model: 'tools-swift-24b', tools, ...options.body, messages };
    const { content, toolCalls } = await answer(readCall(body, world), 0);
    if (toolCalls.length === 0) return { rounds, answer: content };
    rounds.push(toolCalls.map((call) => `${call.name} ${call.arguments}`));
    messages.push({
      role: 'assistant',
      content,
      tool_calls: toolCalls.map(({ id, name, arguments: json }) => ({
        id,
        type: 'function',
        function: { name, arguments: json },
      })),
    });
    for (const call of toolCalls) {
      const args = parseJson(call.arguments);
      const result = workspace.call(call.name, isRecord(args) ? args : {});
      messages.push({ role: 'tool', tool_call_id: call.id, content: result });
    }
  }
  throw new Error('It never ends');
}
