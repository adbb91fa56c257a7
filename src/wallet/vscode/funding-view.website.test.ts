import { expect, test } from 'vitest';
import { parseDashboardUrl } from './funding-view.ts';

test.each([
  ['https://service.example', 'https://service.example/'],
  [' https://service.example/settings?tab=api#credits ', undefined],
])('parseDashboardUrl accepts the dashboard URL %j', (text, href) => {
  expect(parseDashboardUrl(text)?.href).toBe(href ?? text.trim());
});

test.each([
  '',
  'service.example',
  'http://service.example',
  'file:///etc/passwd',
  'ms-msdt:/id',
  'command:workbench.action.quit',
  'vscode://some.extension/path',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://x|calc',
  'https://x|calc',
  'https://user:password@service.example',
  'https://user@service.example',
  'https:service.example',
  'https:///service.example',
  'https://service.example\\@evil.example',
  'https://service.example/\nfile:///etc/passwd',
  'https://service.example/ --flag',
  'https://service.example/"&calc',
  `https://service.example/${'x'.repeat(3_000)}`,
])('parseDashboardUrl rejects the dashboard URL %j', (text) => {
  expect(parseDashboardUrl(text)).toBeUndefined();
});
