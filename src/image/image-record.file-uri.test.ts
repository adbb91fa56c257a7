import { expect, test } from 'vitest';
import { isAllowedFileUri } from './image-record.ts';

test.each([
  'file:///w/images/fox.png',
  'file:///c%3A/w/fox%20%281%29.png',
  'vscode-remote://ssh-remote%2Bhome/w/fox.png',
  'vscode-remote://wsl+ubuntu/w/fox.png',
  'vscode-vfs://github/owner/repository/fox.png',
  'vscode-userdata:/user/fox.png',
])('isAllowedFileUri accepts the file URI %s', (uri) => {
  expect(isAllowedFileUri(uri)).toBe(true);
});

test.each([
  '',
  'fox.png',
  '/w/fox.png',
  'file:',
  'file:fox.png',
  'untitled:fox.png',
  'command:workbench.action.quit',
  'command:/workbench.action.quit',
  'vscode://publisher.extension/path',
  'http://elsewhere.test/fox.png',
  'HTTPS://elsewhere.test/fox.png',
  'javascript:/alert(1)',
  'data:/image/png;base64,AAAA',
  ' file:///w/fox.png',
  'file:///w/fox.png?query',
  'file:///w/fox.png#part',
  'file:///w/%E0%A4.png',
  'file://elsewhere/share/fox.png',
  'file:////elsewhere/share/fox.png',
  'file:///%2Felsewhere/share/fox.png',
  'file:///%5Celsewhere/share/fox.png',
  String.raw`file:///\elsewhere/share/fox.png`,
  String.raw`file://\elsewhere/share/fox.png`,
  'toString:/x',
])('isAllowedFileUri rejects the file URI "%s"', (uri) => {
  expect(isAllowedFileUri(uri)).toBe(false);
});

test.each([
  ['memory:/w', 'memory:/v/fox.png', true],
  ['memory://a/w', 'memory://b/w/fox.png', false],
  ['file://server/share', 'file://SERVER/share/fox.png', true],
  ['file://server/share', 'file://elsewhere/share/fox.png', false],
  ['file://server/share', 'file:///w/fox.png', true],
  ['memory:/w', 'command:/w/fox.png', false],
])(
  'isAllowedFileUri, given the workspace folder %s and the file URI %s, returns %s',
  (folder, uri, expected) => {
    expect(isAllowedFileUri(uri, [folder])).toBe(expected);
  },
);
