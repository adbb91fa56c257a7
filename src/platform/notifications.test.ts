import { expect, test } from 'vitest';
import { withoutIcons, withoutLinks } from './notifications.ts';

/** As the editor looks for links in a message. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)[^)\s]+(?: ["'].+?["'])?\)/iu;

test.each([
  '[Repair](command:workbench.action.tasks.runTask?%22setup%22)',
  'a [b](COMMAND:x) [c](https://example.invalid "title")',
  '[[a](command:x)](command:y)',
  '[a](file:///etc/passwd).png',
])('%s is no link', (text) => {
  expect(text).toMatch(link);
  expect(withoutLinks(text)).not.toMatch(link);
});

test.each(['Saved as images/a-[b].png.', 'Generate (2)?', ''])('%s stays as it is', (text) => {
  expect(withoutLinks(text)).toBe(text);
});

test('no icon is drawn', () => {
  expect(withoutIcons('$(lock) audited $$(x)')).not.toContain('$(');
});
