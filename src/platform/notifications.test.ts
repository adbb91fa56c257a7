import { expect, test } from 'vitest';
import { escapeIcons, escapeLinks } from './notifications.ts';

/** Pattern with which VS Code finds links in notification messages, such as `[Repair](command:repair)`. */
const linkPattern = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+(?: ["'].+?["'])?\)/iu;

test.each([
  '[Repair](command:workbench.action.tasks.runTask?%22setup%22)',
  'a [b](COMMAND:x) [c](https://example.invalid "title")',
  '[[a](command:x)](command:y)',
  '[a](file:///etc/passwd).png',
])('escapeLinks escapes the link in %s', (text) => {
  expect(text).toMatch(linkPattern);
  expect(escapeLinks(text)).not.toMatch(linkPattern);
});

test.each(['Saved as images/a-[b].png.', 'Generate (2)?', ''])(
  'escapeLinks leaves the message %j without links unchanged',
  (text) => {
    expect(escapeLinks(text)).toBe(text);
  },
);

test('escapeIcons escapes icon placeholders', () => {
  expect(escapeIcons('$(lock) audited $$(x)')).not.toContain('$(');
});
