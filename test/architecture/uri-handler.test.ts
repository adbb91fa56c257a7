import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/paths.ts';
import { readProductSources } from './sources.ts';

/** Any web page can open a URI of the extension, so that a handler could start a mint that the user never requested. */
const handler = /registerUriHandler|\bhandleUri\b|\bUriHandler\b/u;

test('no URI handler can mint a key, because none is registered', () => {
  const paths = [...readProductSources()].flatMap(([path, text]) =>
    handler.test(text) ? [path] : [],
  );
  expect(paths).toEqual([]);
  // VS Code activates an extension for its URIs only with this event.
  expect(readFileSync(join(root, 'package.json'), 'utf8')).not.toContain('"onUri');
});

test.each([
  'vscode.window.registerUriHandler({ handleUri: () => mintKey() });',
  "const register = vscode.window['registerUriHandler'];",
  'class Links implements vscode.UriHandler {}',
])('finds the URI handler in %s', (source) => {
  expect(source).toMatch(handler);
});
