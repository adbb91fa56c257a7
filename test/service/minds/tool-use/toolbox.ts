import { isRecord } from '../../../../src/base/json.ts';
import type { FunctionTool } from '../../chat/body.ts';
import { valueFor } from '../from-schema.ts';

/** A call that a plan wants made. */
export interface Wanted {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the mind knows how to use, by the names of the parameters it fills itself. */
const known = {
  read_file: ['path', 'start_line', 'end_line'],
  list_directory: ['path'],
  find_files: ['glob'],
  search_text: ['query', 'regex', 'include', 'exclude', 'context_lines', 'max_results'],
  get_problems: ['path'],
  find_symbols: ['query', 'path'],
  go_to_definition: ['path', 'line', 'symbol'],
  find_references: ['path', 'line', 'symbol'],
  edit_file: ['path', 'edits'],
  create_file: ['path', 'content'],
  delete_file: ['path'],
  rename_file: ['from', 'to'],
  run_command: ['command', 'cwd', 'timeout_seconds', 'background'],
  read_command_output: ['id', 'wait_seconds'],
  stop_command: ['id'],
  open_file: ['path', 'line'],
  show_diff: ['path'],
  ask_user: ['question', 'choices'],
} as const;

export type KnownTool = keyof typeof known;

export const isKnownTool = (name: string): name is KnownTool => Object.hasOwn(known, name);

/** The tools that came with the request. Nothing else is ever called. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, FunctionTool>;
  readonly #request: string;

  /** @param request The words that optional parameters are filled from. */
  constructor(tools: readonly FunctionTool[], request: string) {
    this.#tools = new Map(tools.map((tool) => [tool.function.name, tool]));
    this.#request = request;
  }

  has(...names: readonly KnownTool[]): boolean {
    return names.every((name) => this.#tools.has(name));
  }

  /** Any tool by its name, also one the mind knows nothing of. */
  find(name: string): FunctionTool | undefined {
    return this.#tools.get(name);
  }

  /** Tools that the mind has no plan for. */
  get others(): readonly FunctionTool[] {
    return [...this.#tools.values()].filter((tool) => !isKnownTool(tool.function.name));
  }

  /**
   * A call with those of the arguments that the tool's schema has, and with what the schema has besides if the
   * request speaks of it.
   * @throws RangeError for a tool that was not sent
   */
  call(name: KnownTool, args: Readonly<Record<string, unknown>>): Wanted {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new RangeError(`The tool ${name} was not sent`);
    const schema = tool.function.parameters ?? {};
    const properties = isRecord(schema['properties']) ? schema['properties'] : undefined;
    const given = Object.entries(args).filter(
      ([key, value]) =>
        value !== undefined && (properties === undefined || Object.hasOwn(properties, key)),
    );
    const own: readonly string[] = known[name];
    const filled = valueFor({ ...schema, type: 'object' }, { text: this.#request });
    const more = Object.entries(isRecord(filled) ? filled : {}).filter(
      ([key]) => !own.includes(key),
    );
    return { name, args: Object.fromEntries([...given, ...more]) };
  }
}
