// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { WebviewMessage } from '../../../src/chat/protocol/page-message.ts';
import { renderMarkdown } from '../../markdown/render.fixture.ts';
import { FileLinks } from './file-links.ts';

const renderOptions = {
  openLink() {},
  code: { copy() {}, insert() {}, openNewFile() {}, apply() {} },
  schedule() {},
};

function createFileLinks() {
  const root = document.body.appendChild(document.createElement('div'));
  const postedMessages: WebviewMessage[] = [];
  const clock = new ManualClock();
  const links = new FileLinks(root, {
    post: (message) => void postedMessages.push(message),
    clock,
  });
  const add = async (text: string): Promise<void> => {
    renderMarkdown(root.appendChild(document.createElement('div')), text, renderOptions);
    await Promise.resolve();
  };
  return { root, postedMessages, clock, links, add };
}

test('FileLinks asks the host once which paths of an answer exist, and turns these paths into links', async () => {
  const { root, postedMessages, clock, links, add } = createFileLinks();
  await add('See `src/tide.ts:12`, docs/moon.md and `tide()` in a.b or https://a.test/b.ts');
  await add('Again `src/tide.ts:12`.');
  await clock.advance(100);
  expect(postedMessages).toEqual([
    { type: 'paths-check', paths: ['src/tide.ts:12', 'docs/moon.md'] },
  ]);
  links.linkPaths(['src/tide.ts:12']);
  const foundLinks = [...root.querySelectorAll<HTMLElement>('[role=link]')];
  expect(foundLinks.map(({ textContent }) => textContent)).toEqual([
    'src/tide.ts:12',
    'src/tide.ts:12',
  ]);
  foundLinks[0]?.click();
  foundLinks[1]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  expect(postedMessages.slice(1)).toEqual(
    Array.from({ length: 2 }, () => ({ type: 'path-open', path: 'src/tide.ts:12' })),
  );
  await add('Later `src/tide.ts:12`.');
  expect(root.querySelectorAll('[role=link]')).toHaveLength(3);
});

test('FileLinks adds no link to a path inside another link', async () => {
  const { root, links, add } = createFileLinks();
  await add('[`a/b.ts`](https://x.test)');
  links.linkPaths(['a/b.ts']);
  expect(root.querySelectorAll('a [data-path]')).toHaveLength(1);
  expect(root.querySelectorAll('[role=link]')).toHaveLength(0);
});

test('FileLinks asks the host again later about the path of a missing file, because the file may exist by then', async () => {
  const { postedMessages, clock, add } = createFileLinks();
  await add('I create `src/new.ts`.');
  await clock.advance(100);
  await add('`src/new.ts`');
  await clock.advance(100);
  expect(postedMessages).toHaveLength(1);
  await clock.advance(10_000);
  await add('`src/new.ts`');
  await clock.advance(100);
  expect(postedMessages).toHaveLength(2);
});

test.each(['a/b.ts:1:2', './a.ts', '../a.ts', '/work/a.ts', 'a.test.ts:3-9', 'Makefile.am'])(
  'FileLinks recognizes the code span %j as a path',
  async (path) => {
    const { root, add } = createFileLinks();
    await add(`\`${path}\``);
    expect(root.querySelector<HTMLElement>('[data-path]')?.dataset['path']).toBe(path);
  },
);

test.each([
  '`a b.ts`',
  '`foo()`',
  '`x = a/b.c;`',
  'and/or',
  '1/2',
  'e.g. this',
  '[a/b.ts](https://x.test)',
])('FileLinks recognizes no path in %j', async (text) => {
  const { root, postedMessages, clock, add } = createFileLinks();
  await add(text);
  await clock.advance(100);
  expect(postedMessages.length === 0 || root.querySelector('a [data-path]') !== null).toBe(true);
});
