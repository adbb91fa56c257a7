// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { highlightGroups, isKnownLanguage } from './highlight-code.ts';

test.each([
  ...['shell', 'sh', 'csharp', 'cs', 'php', 'ruby', 'kotlin', 'swift', 'powershell', 'ps1'],
  ...['dockerfile', 'toml', 'ini'],
])('colors the language %s', (name) => {
  expect(isKnownLanguage(name)).toBe(true);
  const group = document.createElement('span');
  group.textContent = '# "text" 12\nFROM "a" AS b\nkey = "value" # \'c\'\n';
  highlightGroups(name, [group]);
  expect(group.querySelectorAll('[class^="hljs-"]').length).toBeGreaterThan(0);
});
