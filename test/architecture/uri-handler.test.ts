import { expect, test } from 'vitest';
import { readProductSources } from './sources.ts';

/**
 * Matches code that handles URIs of the extension. Any web page can open such a URI, so a handler could mint a key that
 * the user never requested.
 */
const handlerPattern = /registerUriHandler|\bhandleUri\b|\bUriHandler\b/u;

test('only the chat registers a URI handler, whose module accesses no wallet and no stored key', () => {
  const sources = [...readProductSources()];
  const paths = sources.flatMap(([path, text]) => (handlerPattern.test(text) ? [path] : []));
  expect(paths).toEqual(['src/chat/vscode/contribute.ts']);
  const text = new Map(sources).get('src/chat/context/vscode/deep-links.ts') ?? '';
  const importedModules = [...text.matchAll(/(?:from|import\() ?'(?<from>[^']*)'/gu)].map(
    ({ groups }) => groups?.['from'],
  );
  expect(importedModules).toEqual([
    'vscode',
    '../../../account/vscode/account.ts',
    '../../../base/hidden-characters.ts',
    '../../../base/lazy.ts',
    '../../../conversation/prompt-file.ts',
    '../../../platform/notifications.ts',
    '../../vscode/chat-runtime.ts',
    '../../../account/vscode/key-commands.ts',
  ]);
  expect(text).not.toMatch(/mint|executeCommand|\.send\(/u);
});

test.each([
  'vscode.window.registerUriHandler({ handleUri: () => mintKey() });',
  "const register = vscode.window['registerUriHandler'];",
  'class Links implements vscode.UriHandler {}',
])('the pattern for URI handlers matches %s', (source) => {
  expect(source).toMatch(handlerPattern);
});
