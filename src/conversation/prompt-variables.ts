/** What stands as `${…}` in a prompt file, as VS Code's own prompt files have it. */
export interface PromptVariable {
  /** Without the hint, e.g. `file` or `input:topic`. */
  readonly key: string;
  /** Of an input: what it is called, and the words that help to fill it in, or nothing. */
  readonly input?: { readonly name: string; readonly hint: string };
}

const places = new Set([
  'file',
  'fileBasename',
  'fileBasenameNoExtension',
  'fileDirname',
  'selectedText',
  'selection',
  'workspaceFolder',
  'workspaceFolderBasename',
]);

const pattern =
  /\$\{(?:(?<place>[a-zA-Z]{4,23})|input:(?<name>[^:{}\n]{1,60})(?::(?<hint>[^{}\n]{0,200}))?)\}/gu;

/** The variables of a prompt, each once. What else stands between braces, as in code of a shell, is none. */
export function promptVariables(body: string): readonly PromptVariable[] {
  const found = new Map<string, PromptVariable>();
  for (const { groups = {} } of body.matchAll(pattern)) {
    const variable = variableOf(groups);
    if (variable !== undefined && !found.has(variable.key)) found.set(variable.key, variable);
  }
  return [...found.values()];
}

/**
 * Puts values in the place of variables, by their keys. Those without one stay as they are written, and a variable
 * within a value is none.
 */
export const fillPrompt = (body: string, values: ReadonlyMap<string, string>): string =>
  body.replaceAll(pattern, (written, ...rest) => {
    const key = variableOf(rest.at(-1) as Groups)?.key;
    return (key === undefined ? undefined : values.get(key)) ?? written;
  });

type Groups = Readonly<Record<string, string | undefined>>;

function variableOf({ place, name, hint }: Groups): PromptVariable | undefined {
  if (place !== undefined) return places.has(place) ? { key: place } : undefined;
  const called = name?.trim() ?? '';
  if (called === '') return undefined;
  return { key: `input:${called}`, input: { name: called, hint: hint?.trim() ?? '' } };
}
