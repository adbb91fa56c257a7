import { isRecord, parseJson } from '../../../src/base/json.ts';
import { ModelCatalog } from '../catalog/model-catalog.ts';
import type { ChatBody, FunctionTool, Message } from '../chat/body.ts';
import { parseChatCall } from '../chat/call.ts';
import { VendorNaming } from '../vendor-naming.ts';
import { type Answer, answerCall } from './answer.ts';

type Args = Readonly<Record<string, unknown>>;

const textSchema = { type: 'string' };
const integerSchema = { type: 'integer' };

/** Parameters of the tools that recipes call, by tool name. */
const toolParameters: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  read_file: { path: textSchema, start_line: integerSchema, end_line: integerSchema },
  list_directory: { path: textSchema },
  find_files: { glob: textSchema },
  search_text: { query: textSchema, regex: { type: 'boolean' }, include: textSchema },
  get_problems: { path: textSchema },
  edit_file: { path: textSchema, edits: { type: 'array' } },
  create_file: { path: textSchema, content: textSchema },
  delete_file: { path: textSchema },
  rename_file: { from: textSchema, to: textSchema },
  run_command: { command: textSchema, background: { type: 'boolean' } },
  read_command_output: { id: textSchema },
  stop_command: { id: textSchema },
  open_file: { path: textSchema, line: integerSchema },
  show_diff: { path: textSchema },
  ask_user: { question: textSchema, choices: { type: 'array' } },
};

export const workspaceTools: readonly FunctionTool[] = Object.entries(toolParameters).map(
  ([name, properties]) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties } },
  }),
);

const callState = { naming: new VendorNaming('service'), catalog: new ModelCatalog(), seed: 1 };

/** Returns the model's reply to messages, without HTTP. */
export const requestAnswer = (
  messages: readonly object[],
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<Answer> =>
  answerCall(parseChatCall({ model: 'tools-swift-24b', ...overrides, messages }, callState), 0);

export interface Transcript {
  /** Calls in the format `name {arguments}`, one list per reply. */
  readonly rounds: readonly (readonly string[])[];
  /** Text of the last reply. */
  readonly finalAnswer: string;
}

/** Sends requests until a reply contains no calls. `run` executes a call and returns its result. */
export async function runConversation(
  request: string,
  run: (name: string, args: Args) => string,
  overrides: Partial<ChatBody> = {},
): Promise<Transcript> {
  const messages: Message[] = [{ role: 'user', content: request }];
  const rounds: string[][] = [];
  for (let round = 0; round < 50; round++) {
    const { content, toolCalls } = await requestAnswer(messages, {
      tools: workspaceTools,
      ...overrides,
    });
    if (toolCalls.length === 0) return { rounds, finalAnswer: content };
    rounds.push(toolCalls.map((call) => `${call.name} ${call.arguments}`));
    const calls = toolCalls.map(({ id, ...called }) => ({
      id,
      type: 'function' as const,
      function: called,
    }));
    messages.push({ role: 'assistant', content, tool_calls: calls });
    for (const { id, name, arguments: json } of toolCalls) {
      const args = parseJson(json);
      const result = run(name, isRecord(args) ? args : {});
      messages.push({ role: 'tool', tool_call_id: id, content: result });
    }
  }
  throw new Error('The model calls tools without end.');
}

/**
 * Returns a function that executes tools on files in memory. It returns tool results in the same format as the
 * extension, and `ok` for unknown tools.
 */
export function createInMemoryToolRunner(
  files: Map<string, string>,
): (name: string, args: Args) => string {
  return (name, args) => {
    const path = String(args['path']);
    const content = files.get(path);
    const lines = content?.replace(/\n$/, '').split('\n') ?? [];
    if (name === 'search_text') return searchFiles(files, String(args['query']));
    if (name === 'read_file')
      return content === undefined
        ? `There is no ${path}.`
        : lines.map((line, index) => `${index + 1}\t${line}`).join('\n');
    if (name !== 'edit_file' || !Array.isArray(args['edits'])) return 'ok';
    for (const edit of args['edits'].filter(isRecord)) {
      const parts: readonly string[] = (files.get(path) ?? '').split(String(edit['search']));
      if (parts.length !== 2) return `${path} was not changed.`;
      files.set(path, parts.join(String(edit['replace'])));
    }
    return `Changed ${path}.`;
  };
}

const searchFiles = (files: ReadonlyMap<string, string>, query: string): string =>
  [...files]
    .flatMap(([path, content]) => {
      const matches = content
        .split('\n')
        .flatMap((line, index) => (line.includes(query) ? [`${index + 1}: ${line}`] : []));
      return matches.length === 0 ? [] : [[path, ...matches].join('\n')];
    })
    .join('\n\n');
