import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { compileGlob, splitGlobs } from '../workspace/glob.ts';
import { maxInstructionLength } from './chat-instructions.ts';
import type { Tool, ToolArguments } from './tool.ts';
import { readOptionalString } from './arguments.ts';
import { ToolError } from '../workspace/tool-error.ts';

/**
 * Instructions for a task, in a file that the model can load. Requests contain only the skill's name and description.
 */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Path that the file tools accept: relative to the workspace, or absolute for a file outside the workspace. */
  readonly path: string;
  readonly label: string;
}

/** Instructions and tools for one kind of task, read from a file of the workspace. */
export interface CustomAgent {
  readonly name: string;
  readonly description: string;
  readonly label: string;
  /**
   * Names of models in order of preference. Files written for other products often name models that are not available
   * here.
   */
  readonly models: readonly string[];
  /** Names of the allowed tools, as written in the file; undefined if the file allows all tools. */
  readonly tools: readonly string[] | undefined;
  readonly excludedTools: readonly string[];
  readonly instructions: string;
}

/** Instructions for the files whose paths match a glob. */
export interface ScopedInstructions {
  readonly description: string;
  /** Comma-separated globs of the files to which the instructions apply; empty if the instructions apply to no file. */
  readonly applyTo: string;
  readonly text: string;
}

/**
 * Result of reading a file that cannot be used. `line` is the number of the line with the first error, starting at 1.
 */
export interface MalformedAgentFile {
  readonly line: number;
}

/** Path of a skill or custom agent file, its label for display, and the name to use if its header contains no name. */
interface FileLocation {
  readonly label: string;
  readonly path: string;
  /** Name for a file whose header contains no name. */
  readonly fallbackName: string;
}

/** Maximum length in characters of a description in a request. */
export const maxDescriptionLength = 300;

/**
 * Reads a `SKILL.md` file. The description is required, because the model selects a skill by its description. Returns
 * the line of the first error if the file cannot be used.
 */
export function readSkill(
  text: string,
  { label, path, fallbackName }: FileLocation,
): Skill | MalformedAgentFile {
  const header = parseFrontMatter(text);
  if (typeof header === 'number') return { line: header };
  const name = toCleanLine(readHeaderText(header, 'name')) || fallbackName;
  const description = toCleanLine(readHeaderText(header, 'description'));
  if (!isAgentFileName(name)) return createMalformedFile(text, 'name');
  if (description === '') return createMalformedFile(text, 'description');
  return { name, description: description.slice(0, maxDescriptionLength), path, label };
}

/** Reads the file of a custom agent. Returns the line of the first error if the file cannot be used. */
export function readCustomAgent(
  text: string,
  { label, fallbackName }: Omit<FileLocation, 'path'>,
): CustomAgent | MalformedAgentFile {
  const header = parseFrontMatter(text);
  if (typeof header === 'number') return { line: header };
  const name = toCleanLine(readHeaderText(header, 'name')) || fallbackName;
  if (!isAgentFileName(name)) return createMalformedFile(text, 'name');
  const excludedTools = readExcludedTools(header);
  if (excludedTools === undefined) return createMalformedFile(text, 'disallowedTools');
  return {
    name,
    description: toCleanLine(readHeaderText(header, 'description')).slice(0, maxDescriptionLength),
    label,
    models: readHeaderList(header, 'model') ?? [],
    tools: readToolNames(header),
    excludedTools,
    instructions: stripHiddenCharacters(header.body).text.trim().slice(0, maxInstructionLength),
  };
}

/** Reads an `.instructions.md` file. Returns the line of the first error if the file cannot be used. */
export function readScopedInstructions(text: string): ScopedInstructions | MalformedAgentFile {
  const header = parseFrontMatter(text);
  if (typeof header === 'number') return { line: header };
  const globs = readHeaderList(header, 'applyto');
  try {
    matchesAnyGlob(globs?.join(',') ?? '', 'a');
  } catch {
    return createMalformedFile(text, 'applyTo');
  }
  return {
    description: toCleanLine(readHeaderText(header, 'description')).slice(0, maxDescriptionLength),
    applyTo: toCleanLine(globs?.join(',') ?? ''),
    text: header.body,
  };
}

/** Checks whether one of the comma-separated globs matches the relative path of a file. */
export const matchesAnyGlob = (globs: string, path: string): boolean =>
  splitGlobs(globs).some((glob) => compileGlob(glob)(path));

/**
 * Returns the tools that the file of a custom agent allows. Ignores unknown names in the file's list of allowed tools.
 * Returns no tools if the file excludes `*` or an unknown name, because an unknown name could mean any tool.
 */
export function narrowTools(
  tools: ReadonlyMap<string, Tool>,
  agent: Pick<CustomAgent, 'tools' | 'excludedTools'>,
): ReadonlyMap<string, Tool> {
  const toToolNames = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.flatMap((name) => findToolsByName(name, [...tools.keys()])));
  const allowedNames = agent.tools === undefined ? new Set(tools.keys()) : toToolNames(agent.tools);
  if (agent.excludedTools.includes('*')) return new Map();
  const exclusions = agent.excludedTools.map((name) => findExcludedTools(name, tools));
  if (exclusions.includes(undefined)) return new Map();
  const disallowedNames = new Set(exclusions.flatMap((excludedNames) => excludedNames ?? []));
  return new Map(
    [...tools].filter(([name]) => allowedNames.has(name) && !disallowedNames.has(name)),
  );
}

/** Maximum number of skills in a request. */
export const maxSkills = 40;

/** Formats the skills as a list for the description of the tool that loads them. */
export const formatSkills = (skills: readonly Skill[]): string =>
  skills.map(({ name, description }) => `${name}: ${description}`).join('\n');

/**
 * Returns the tool names that a header allows; undefined for all tools, that is, if the list is missing or contains
 * `*`. An empty list means no tools.
 */
function readToolNames(header: FrontMatter): readonly string[] | undefined {
  const names = readHeaderList(header, 'tools');
  return names?.includes('*') ? undefined : names;
}

/**
 * Returns the names of the excluded tools in a header. `Bash(git push:*)` excludes the whole tool, because single
 * commands cannot be excluded. Returns undefined if the list is unreadable. The file must then be rejected, because the
 * agent would otherwise have more tools than the file allows.
 */
function readExcludedTools({ headerValues }: FrontMatter): readonly string[] | undefined {
  const value = headerValues.get('disallowedtools') ?? [];
  // A nested map also has an empty value.
  if (value === '') return undefined;
  const items = typeof value === 'string' ? [value] : value;
  // A text in a list can contain several names, too.
  const names = items
    .flatMap((item) => item.split(','))
    .filter((name) => name.trim() !== '')
    .map((name) => name.trim().replace(/\s*\(.*$/su, ''));
  const isReadableName = (name: string): boolean =>
    name === '*' ||
    (/^[\w./-]+$/u.test(name) && (isKnownTool(name) || /[_/]/u.test(name) || isMcpTool(name)));
  return names.every(isReadableName) ? names : undefined;
}

/**
 * Returns the names of the tools that an entry in the list of excluded tools matches. These include every MCP tool
 * whose name contains the entry, because other products add different prefixes to the names of MCP tools. Returns
 * undefined for an unknown name that matches no tool.
 */
function findExcludedTools(
  name: string,
  tools: ReadonlyMap<string, Tool>,
): readonly string[] | undefined {
  const availableNames = [...tools.keys()];
  const key = toToolKey(name);
  const normalizedName = name.toLowerCase().replaceAll(/[^a-z\d]/gu, '');
  const extraNames = Object.hasOwn(extraExclusions, key) ? (extraExclusions[key] ?? []) : [];
  const names = [...findToolsByName(name, availableNames), ...extraNames];
  const externalNames = availableNames.filter(
    (toolName) =>
      tools.get(toolName)?.kind === 'external' &&
      toolName
        .toLowerCase()
        .replaceAll(/[^a-z\d]/gu, '')
        .includes(normalizedName),
  );
  const foundNames = [...names, ...externalNames];
  return foundNames.length > 0 || isKnownTool(name) || isMcpTool(name) ? foundNames : undefined;
}

/** Checks whether a name is the name of a tool of this extension, VS Code or Claude Code. */
const isKnownTool = (name: string): boolean => {
  const key = toToolKey(name);
  return [toolNamesByForeignKey, extraExclusions, ownToolKeys].some((record) =>
    Object.hasOwn(record, key),
  );
};

/**
 * Checks whether a name has the form of an MCP tool name in Claude Code (`mcp__server__tool`) or VS Code
 * (`server/tool`).
 */
const isMcpTool = (name: string): boolean =>
  /^mcp_|^[^/]+\/[^/]+$/u.test(name) &&
  !toolGroupNames.has(name.split('/', 1)[0]?.toLowerCase() ?? '');

/**
 * Names of the groups of VS Code's own tools, in lower case. A name such as `edit/createFile`, which starts with one of
 * these groups, is not the name of an MCP tool.
 */
const toolGroupNames: ReadonlySet<string> = new Set([
  ...['agent', 'browser', 'edit', 'execute', 'extensions', 'new', 'read', 'runcommands'],
  ...['runnotebooks', 'runtasks', 'search', 'todo', 'vscode', 'web'],
]);

/**
 * Returns the tools of this extension for a name in the file of a custom agent. The name can be that of an available
 * tool, or that of a tool of VS Code or Claude Code, with or without its group: `edit/createFile` or `createFile`.
 * Returns an empty array for an unknown name.
 */
function findToolsByName(name: string, availableNames: readonly string[]): readonly string[] {
  // `Bash(git diff:*)` allows only some commands, which this table cannot express.
  if (availableNames.includes(name) || name.includes('(')) return name.includes('(') ? [] : [name];
  const key = toToolKey(name);
  return Object.hasOwn(toolNamesByForeignKey, key) ? (toolNamesByForeignKey[key] ?? []) : [];
}

const toToolKey = (name: string): string =>
  name.split('/').at(-1)?.toLowerCase().replaceAll(/[_-]/gu, '') ?? '';

const readOnlyToolNames = ['read_file', 'list_directory', 'get_problems', 'load_skill'];
const searchToolNames = ['find_files', 'search_text', 'find_symbols', 'list_directory'];
const symbolToolNames = ['find_references', 'go_to_definition'];
const editToolNames = ['edit_file', 'edit_cells', 'create_file', 'delete_file', 'rename_file'];
const commandToolNames = ['run_command', 'read_command_output', 'stop_command'];

const toolNamesByForeignKey: Readonly<Record<string, readonly string[]>> = {
  read: readOnlyToolNames,
  readfile: ['read_file'],
  skill: ['load_skill'],
  problems: ['get_problems'],
  search: [...searchToolNames, ...symbolToolNames],
  codebase: searchToolNames,
  grep: ['search_text'],
  textsearch: ['search_text'],
  glob: ['find_files'],
  filesearch: ['find_files'],
  ls: ['list_directory'],
  listdirectory: ['list_directory'],
  usages: symbolToolNames,
  edit: editToolNames,
  editfiles: ['edit_file', 'edit_cells'],
  multiedit: ['edit_file'],
  write: ['create_file', 'edit_file'],
  createfile: ['create_file'],
  notebookedit: ['edit_cells'],
  editnotebook: ['edit_cells'],
  execute: commandToolNames,
  bash: commandToolNames,
  runcommands: commandToolNames,
  runinterminal: commandToolNames,
  web: ['search_web', 'read_page'],
  fetch: ['read_page'],
  webfetch: ['read_page'],
  websearch: ['search_web'],
  askquestions: ['ask_user'],
  askuserquestion: ['ask_user'],
  todo: ['update_todos'],
  todos: ['update_todos'],
  todowrite: ['update_todos'],
  agent: ['delegate'],
  runsubagent: ['delegate'],
  task: ['delegate'],
};

/**
 * Additional tools of this extension to exclude if a custom agent's file excludes a tool of VS Code or Claude Code. The
 * keys are names of those tools, normalized by `toToolKey`. Not used for a list of allowed tools, because the tools of
 * this extension can do more than the named tool. An empty list means that this extension has no similar tool.
 */
const extraExclusions: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    `powershell runtask runtests createandruntask monitor`
      .split(' ')
      .map((key) => [key, commandToolNames]),
  ),
  bashoutput: ['read_command_output'],
  getterminaloutput: ['read_command_output'],
  taskoutput: ['read_command_output'],
  killshell: ['stop_command'],
  taskstop: ['stop_command'],
  createdirectory: ['create_file'],
  ...Object.fromEntries(
    `changes browser enterplanmode enterworktree exitplanmode exitworktree extensions githubrepo
     listmcpresources listmcpresourcestool lsp memory newworkspace notebookread opensimplebrowser
     readmcpresource readmcpresourcetool runnotebookcell slashcommand taskcreate taskget tasklist
     taskupdate terminallastcommand terminalselection testfailure toolsearch vscode vscodeapi`
      .split(/\s+/u)
      .map((key) => [key, []]),
  ),
};

/**
 * Names of all tools of this extension as keys, normalized by `toToolKey`. Includes tools that the current mode does
 * not make available, so that a custom agent's file can name them without an error.
 */
const ownToolKeys = Object.fromEntries(
  [
    ...Object.values(toolNamesByForeignKey).flat(),
    ...['open_file', 'show_diff', 'generate_image', 'edit_image', 'combine_images'],
    ...['upscale_image', 'remove_background'],
  ].map((name) => [toToolKey(name), true]),
);

/**
 * Creates the error for an invalid header value. The error contains the line number of the value, or 1 if the value is
 * missing.
 */
function createMalformedFile(text: string, key: string): MalformedAgentFile {
  const lines = text.split(/\r\n|\n|\r/u);
  const index = lines.findIndex((line) => line.toLowerCase().startsWith(`${key.toLowerCase()}:`));
  return { line: Math.max(0, index) + 1 };
}

/**
 * Checks whether the name of a skill or custom agent has at most 64 characters, starts with a letter or digit, and
 * contains only letters, digits, spaces and `._:-`.
 */
export const isAgentFileName = (name: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N} ._:-]{0,63}$/u.test(name);

const toCleanLine = (text: string): string =>
  stripHiddenCharacters(text).text.replaceAll(/\s+/gu, ' ').trim();

/**
 * Creates the tool with which the model loads a skill. The tool reads the skill's file with `readFileTool`, so that the
 * same rules apply to symbolic links and to files outside the workspace.
 */
export function createSkillTool(skills: readonly Skill[], readFileTool: Tool): Tool {
  const fileArgumentsByCall = new WeakMap<ToolArguments, ToolArguments>();
  return {
    name: 'load_skill',
    kind: 'read',
    description: `Returns the instructions of a skill. Load it before a task that it describes; read_file reads its other files.\n${formatSkills(skills)}`,
    parameters: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    },
    async plan(args, context) {
      const fileArguments: ToolArguments = { path: requireSkill(skills, args).path };
      fileArgumentsByCall.set(args, fileArguments);
      return readFileTool.plan(fileArguments, context);
    },
    async run(args, context) {
      const fileArguments = fileArgumentsByCall.get(args);
      if (fileArguments === undefined) throw new ToolError('failed', 'The call was not planned.');
      const { path } = requireSkill(skills, args);
      const result = await readFileTool.run(fileArguments, context);
      return { ...result, output: `Skill folder: ${getFolder(path)}\n${result.output}` };
    },
  };
}

function requireSkill(skills: readonly Skill[], args: ToolArguments): Skill {
  const name = readOptionalString(args, 'name');
  const skill = skills.find((item) => item.name === name);
  if (skill !== undefined) return skill;
  throw new ToolError(
    'not-found',
    `Set "name" to one of: ${skills.map((item) => item.name).join(', ')}.`,
  );
}

const getFolder = (path: string): string => path.replace(/[/\\][^/\\]*$/u, '');

/**
 * Values in the header of a file, by lowercase key, and the text after the header. The value of a nested map is an
 * empty string.
 */
export interface FrontMatter {
  readonly headerValues: ReadonlyMap<string, string | readonly string[]>;
  /** Text after the header. */
  readonly body: string;
}

const keyPattern = /^(?<key>[A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(?<value>.*))?$/su;

/** Maximum number of lines in a header. Limited because parsing can take quadratic time. */
const maxHeaderLines = 200;
/** Maximum length of a header in characters. */
const maxHeaderLength = 16_384;

/**
 * Parses the YAML header of a Markdown file: strings, block scalars and lists at the top level. Accepts a file without
 * a header.
 * @returns the number of the first malformed line, starting at 1, if the header cannot be parsed
 */
export function parseFrontMatter(text: string): FrontMatter | number {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r\n|\n|\r/u);
  const isFence = (line: string): boolean => /^---[ \t]*$/u.test(line);
  if (!isFence(lines[0] ?? '')) return { headerValues: new Map(), body: text };
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  const headerLength = lines.slice(1, end).join('\n').length;
  if (end < 0 || end - 1 > maxHeaderLines || headerLength > maxHeaderLength) return 1;
  const values = new Map<string, string | readonly string[]>();
  for (let index = 1; index < end;) {
    const line = lines[index] ?? '';
    if (isBlankOrComment(line)) {
      index += 1;
      continue;
    }
    const nextIndex = findNextEntryIndex(lines, index + 1, end);
    const { key, value = '' } = keyPattern.exec(line.trimEnd())?.groups ?? {};
    if (key === undefined || values.has(key.toLowerCase())) return index + 1;
    const parsedValue = parseValue(value.trim(), lines.slice(index + 1, nextIndex));
    if (parsedValue === undefined) return index + 1;
    values.set(key.toLowerCase(), parsedValue);
    index = nextIndex;
  }
  return { headerValues: values, body: lines.slice(end + 1).join('\n') };
}

/** Returns a header value that is a string; empty if the key is missing or its value is a list. */
export function readHeaderText({ headerValues }: FrontMatter, key: string): string {
  const value = headerValues.get(key) ?? '';
  return typeof value === 'string' ? value : '';
}

/** Returns a header value as a list; undefined if the key is missing. Splits a string at its commas. */
export function readHeaderList(
  { headerValues }: FrontMatter,
  key: string,
): readonly string[] | undefined {
  const value = headerValues.get(key);
  if (typeof value !== 'string') return value;
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const isBlankOrComment = (line: string): boolean => /^\s*(?:#|$)/u.test(line);

/**
 * Returns the index of the next line that starts an entry; `end` if none exists. Blank and indented lines, comments,
 * list items and closing brackets start no entry.
 */
function findNextEntryIndex(lines: readonly string[], startIndex: number, end: number): number {
  let index = startIndex;
  while (index < end && /^(?:\s|-(?:\s|$)|[\]}]|$|#)/u.test(lines[index] ?? '')) index += 1;
  return index;
}

/** Parses a value that continues on the lines `rest`; undefined if it is malformed. */
function parseValue(
  value: string,
  rest: readonly string[],
): string | readonly string[] | undefined {
  if (/^[|>][+-]?\d?[+-]?$/u.test(value)) return parseBlockText(value, rest);
  const lines = rest.filter((line) => !isBlankOrComment(line)).map((line) => line.trim());
  if (value.startsWith('[')) return parseFlowList([value, ...lines].join(' '));
  if (value.startsWith('{')) return [value, ...lines].join(' ').endsWith('}') ? '' : undefined;
  if (value === '' || value.startsWith('#')) return parseNestedValue(lines);
  return parseScalar([value, ...lines].join(' '));
}

/**
 * Parses the lines below a key without a value: a list, a string or a nested map. Returns an empty string for a nested
 * map, and undefined for malformed lines.
 */
function parseNestedValue(lines: readonly string[]): string | readonly string[] | undefined {
  const [firstLine = ''] = lines;
  if (!/^-(?:\s|$)/u.test(firstLine))
    return keyPattern.test(firstLine) ? '' : parseScalar(lines.join(' '));
  const items = lines.filter((line) => /^-(?:\s|$)/u.test(line));
  const texts = items.map((line) => parseScalar(line.slice(1).trim()));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

function parseBlockText(style: string, rest: readonly string[]): string {
  const indent = /^\s*/u.exec(rest.find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const lines = rest.map((line) => line.slice(indent).trimEnd());
  const text = lines.join('\n').trimEnd();
  return style.startsWith('|') ? text : text.replaceAll(/(?<!\n)\n(?!\n)/gu, ' ');
}

function parseFlowList(text: string): readonly string[] | undefined {
  const innerText = /^\[(?<inner>.*)\]\s*(?:#.*)?$/su.exec(text)?.groups?.['inner'];
  if (innerText === undefined) return undefined;
  const items = innerText.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\s][^,]*/gsu) ?? [];
  const texts = items.map((item) => parseScalar(item.trim()));
  return texts.every((item) => item !== undefined) ? texts : undefined;
}

/** Parses a plain or quoted string; undefined if a quotation mark is not closed. */
function parseScalar(text: string): string | undefined {
  const groups = /^(?:"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>(?:[^']|'')*)')\s*(?:#.*)?$/su.exec(
    text,
  )?.groups;
  if (groups?.['double'] !== undefined) return unescapeText(groups['double']);
  if (groups?.['single'] !== undefined) return groups['single'].replaceAll("''", "'");
  return /^["']/u.test(text) ? undefined : text.replace(/\s#.*$/su, '').trim();
}

const unescapeText = (text: string): string =>
  text.replaceAll(
    /\\(?<character>.)/gsu,
    (_, character: string) => escapeCharacters[character] ?? character,
  );

const escapeCharacters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
