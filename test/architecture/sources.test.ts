import { describe, expect, test } from 'vitest';
import { readProductSources } from './sources.ts';

interface Rule {
  readonly title: string;
  readonly pattern: RegExp;
  /** Paths of the files that may match `pattern`. */
  readonly allowedPaths: readonly string[];
}

const rules: readonly Rule[] = [
  {
    title: 'send requests to models only through the encrypting modules',
    pattern: /['"`]\/(?:chat\/completions|completions|responses)\b/u,
    allowedPaths: [
      'src/service/chat/chat.ts',
      'src/service/chat/completions.ts',
      'src/service/privacy/encrypted-chat.ts',
      'src/service/http/model-gate.ts',
      'src/service/chat/stream-chat.ts',
    ],
  },
  {
    title: 'call models through the protected service, not through the account’s plain service',
    pattern:
      /\b(?:streamChat|createChatCompletion|streamCompletionBatches)\(\s*[\w.#]*\baccount\.service\b/u,
    allowedPaths: [],
  },
  {
    title: 'never insert text as markup',
    pattern:
      /\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment|setHTMLUnsafe|\bunsafe(?:HTML|SVG|Static)\b/u,
    allowedPaths: [],
  },
  {
    title: 'list the commands that a trusted Markdown string may run',
    pattern: /isTrusted\s*[:=]\s*true/u,
    allowedPaths: [],
  },
  {
    title: 'allow no HTML in Markdown strings',
    pattern: /supportHtml\s*[:=]\s*true/u,
    allowedPaths: [],
  },
  {
    title: 'do not change the process-wide dispatcher, which other extensions share',
    pattern: /setGlobalDispatcher|undici\.globalDispatcher/u,
    allowedPaths: [],
  },
  {
    title: 'receive random values as an argument',
    pattern: /Math\.random/u,
    allowedPaths: ['src/account/vscode/create-account.ts'],
  },
  {
    title: 'import only the types of the manifest',
    pattern: /import (?!type )[^;]*package(?:\.nls)?\.json['"]/u,
    allowedPaths: [],
  },
  {
    title: 'register commands only through the command table, which shows their failures',
    pattern: /\bregister(?:TextEditor)?Command\(/u,
    allowedPaths: [
      'src/platform/commands.ts',
      'src/completion/vscode/contribute.ts',
      // Registers the command of the button that confirms an unencrypted address. No menu may run this command.
      'src/account/vscode/contribute.ts',
    ],
  },
  {
    title: 'read the extension’s settings only through the settings module',
    pattern: /\bgetConfiguration\(|\baffectsConfiguration\(/u,
    allowedPaths: [
      'src/platform/settings.ts',
      'src/agent/tools/vscode/create-file.ts',
      'src/agent/tools/vscode/text-file.ts',
      'src/workspace/vscode/search-scope.ts',
      'src/completion/context/vscode/check-file.ts',
      'src/language-model/use-in-vscode-chat.ts',
    ],
  },
  {
    title: 'never evaluate text as code',
    pattern: /\beval\s*\(|new Function\s*\(/u,
    allowedPaths: [],
  },
  {
    title: 'send data only to the configured service',
    pattern: /createTelemetryLogger|TelemetryReporter|applicationinsights|sendBeacon/u,
    allowedPaths: [],
  },
  {
    title: 'contain no public web address',
    pattern: /['"`](?:https?|wss?):\/\/(?!example\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/u,
    allowedPaths: [],
  },
  {
    title:
      'show messages only through the notification module, which prevents links in foreign text',
    pattern:
      /\bshow(?:Information|Warning|Error)Message\b|\.withProgress\b|\bwithProgress\b[^;]*=\s*vscode\.window/u,
    allowedPaths: ['src/platform/notifications.ts'],
  },
];

/** Returns the paths of the files that violate a rule. */
function findViolations(
  { pattern, allowedPaths }: Rule,
  sources: ReadonlyMap<string, string>,
): string[] {
  return [...sources]
    .filter(([path, text]) => !allowedPaths.includes(path) && pattern.test(text))
    .map(([path]) => path);
}

describe('the product sources', () => {
  const sources = readProductSources();
  const cases = rules.map((rule) => [rule.title, rule] as const);

  test.each(cases)('follow the rule: %s', (_, rule) => {
    expect(sources.size).toBeGreaterThan(50);
    expect(findViolations(rule, sources)).toEqual([]);
  });

  test.each(cases)(
    'break the rule "%s" in each file that the rule lists as an exception',
    (_, { pattern, allowedPaths }) => {
      for (const path of allowedPaths) expect(pattern.test(sources.get(path) ?? '')).toBe(true);
    },
  );
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
])('findViolations reports a source that contains %s', (text) => {
  const plantedSources = new Map([['src/chat/vscode/planted.ts', text]]);
  expect(rules.flatMap((rule) => findViolations(rule, plantedSources))).toEqual([
    'src/chat/vscode/planted.ts',
  ]);
});
