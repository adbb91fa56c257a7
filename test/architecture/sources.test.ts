import { describe, expect, test } from 'vitest';
import { productSources } from './sources.ts';

interface Ban {
  readonly why: string;
  readonly pattern: RegExp;
  /** The only files that may. */
  readonly allowed: readonly string[];
}

const bans: readonly Ban[] = [
  {
    why: 'what is said to a model passes what encrypts it: no other file knows the way',
    pattern: /['"`]\/(?:chat\/completions|completions|responses)\b/u,
    allowed: [
      'src/service/chat/chat.ts',
      'src/service/chat/completions.ts',
      'src/service/privacy/encrypted-chat.ts',
      'src/service/http/model-gate.ts',
      'src/service/chat/stream-chat.ts',
    ],
  },
  {
    why: 'models are asked through the service that has a lock and encrypts, not through the account’s bare one',
    pattern:
      /\b(?:streamChat|createChatCompletion|streamCompletionBatches)\(\s*[\w.#]*\baccount\.service\b/u,
    allowed: [],
  },
  {
    why: 'text never becomes markup',
    pattern:
      /\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment|setHTMLUnsafe|\bunsafe(?:HTML|SVG|Static)\b/u,
    allowed: [],
  },
  {
    why: 'a trusted Markdown string may run any command; name the few it needs',
    pattern: /isTrusted\s*[:=]\s*true/u,
    allowed: [],
  },
  {
    why: 'a Markdown string shows no HTML of others',
    pattern: /supportHtml\s*[:=]\s*true/u,
    allowed: [],
  },
  {
    why: 'other extensions share the process-wide dispatcher',
    pattern: /setGlobalDispatcher|undici\.globalDispatcher/u,
    allowed: [],
  },
  {
    why: 'chance comes in as an argument',
    pattern: /Math\.random/u,
    allowed: ['src/account/vscode/create-account.ts'],
  },
  {
    why: 'the manifest is known at run time: only its types are imported',
    pattern: /import (?!type )[^;]*package(?:\.nls)?\.json['"]/u,
    allowed: [],
  },
  {
    why: 'a command has a row in the table, and its failure is shown in one place',
    pattern: /\bregister(?:TextEditor)?Command\(/u,
    allowed: ['src/platform/commands.ts', 'src/completion/vscode/contribute.ts'],
  },
  {
    why: 'settings of the extension have one reader, which knows whose value counts; these read those of VS Code',
    pattern: /\bgetConfiguration\(|\baffectsConfiguration\(/u,
    allowed: [
      'src/platform/settings.ts',
      'src/agent/tools/vscode/create-file.ts',
      'src/workspace/vscode/search-scope.ts',
      'src/completion/context/vscode/judge-file.ts',
      'src/language-model/use-in-vscode-chat.ts',
    ],
  },
  { why: 'text is never code', pattern: /\beval\s*\(|new Function\s*\(/u, allowed: [] },
  {
    why: 'nothing is sent to anyone but the configured service',
    pattern: /createTelemetryLogger|TelemetryReporter|applicationinsights|sendBeacon/u,
    allowed: [],
  },
  {
    why: 'no address of the world is built in',
    pattern: /['"`](?:https?|wss?):\/\/(?!example\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/u,
    allowed: [],
  },
  {
    why: 'a message of the editor makes links of foreign text: only one place tells',
    pattern:
      /\bshow(?:Information|Warning|Error)Message\b|\.withProgress\b|\bwithProgress\b[^;]*=\s*vscode\.window/u,
    allowed: ['src/platform/notifications.ts'],
  },
];

/** Files that do what a ban forbids. */
function offenders({ pattern, allowed }: Ban, sources: ReadonlyMap<string, string>): string[] {
  return [...sources]
    .filter(([path, text]) => !allowed.includes(path) && pattern.test(text))
    .map(([path]) => path);
}

describe('the sources', () => {
  const sources = productSources();

  test.each(bans)('$why', (ban) => {
    expect(sources.size).toBeGreaterThan(50);
    expect(offenders(ban, sources)).toEqual([]);
  });

  test.each(bans)('$why: the exceptions exist', ({ pattern, allowed }) => {
    for (const path of allowed) expect(pattern.test(sources.get(path) ?? '')).toBe(true);
  });
});

test.each([
  'element.innerHTML = text;',
  'hover.isTrusted = true;',
  'hover.supportHtml = true;',
  'setGlobalDispatcher(agent);',
  'const jitter = Math.random();',
  "new Function('return 1')();",
  'navigator.sendBeacon(url);',
  'await vscode.window.showErrorMessage(failure.message);',
  'const { showWarningMessage } = vscode.window;',
  'vscode.window.withProgress({ location, title }, run);',
  'const { withProgress } = vscode.window;',
  "import { contributes } from '../../../package.json';",
  "vscode.commands.registerCommand('inferenceService.planted', run);",
  "vscode.workspace.getConfiguration('inferenceService').get('baseUrl');",
  "const home = 'https://service.invalid/api/v1';",
])('reports %s', (text) => {
  const planted = new Map([['src/chat/vscode/planted.ts', text]]);
  expect(bans.flatMap((ban) => offenders(ban, planted))).toEqual(['src/chat/vscode/planted.ts']);
});
