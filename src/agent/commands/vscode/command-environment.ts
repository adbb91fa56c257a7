type Environment = Readonly<Record<string, string | undefined>>;

/** Of the editor and of this extension: no business of commands. May hold keys and ways into the editor. */
const internal = /^(?:ELECTRON_|VSCODE_|INFERENCE_SERVICE_)/iu;

/** Files that a shell would run first, programs that would ask in a window, colours in spite of `NO_COLOR`. */
const unwanted: ReadonlySet<string> = new Set([
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
]);

/** Nobody is there to answer, to page or to see colours. */
const unattended = {
  CI: '1',
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // Looking at the state of a repository must not get in the way of the person's own git.
  GIT_OPTIONAL_LOCKS: '0',
  // What a machine sets up for everybody may run programs of its own.
  GIT_CONFIG_NOSYSTEM: '1',
  GCM_INTERACTIVE: 'never',
  SSH_ASKPASS_REQUIRE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONIOENCODING: 'utf-8',
} as const;

/** What commands get of the person's environment. */
export function commandEnvironment(own: Environment): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isWanted(entry[0], entry[1]),
  );
  const environment = Object.fromEntries(kept);
  return { ...environment, ...unattended, ...gitSettings(environment) };
}

/**
 * Of git, before any file: a folder that only looks like a repository is none, and looking at a repository starts no
 * program that its settings name.
 */
const safeGit = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
] as const;

/** After those that the person set in the same way: the last one counts. */
function gitSettings({ GIT_CONFIG_COUNT: own = '' }: Environment): Record<string, string> {
  const first = /^\d{1,3}$/u.test(own) ? Number(own) : 0;
  const settings = safeGit.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return {
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(first + safeGit.length),
  };
}

function isWanted(name: string, value: string): boolean {
  if (internal.test(name) || unwanted.has(name.toUpperCase())) return false;
  // The editor makes Node programs report to its debugger by this.
  return name !== 'NODE_OPTIONS' || !/vscode|js-debug/iu.test(value);
}
