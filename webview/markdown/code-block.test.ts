// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import type { CodeContext } from './actions.ts';
import { MarkdownStream } from './markdown-stream.ts';

test('a code block shows no buttons while the code streams, and passes the whole code to the button actions', () => {
  const { container, stream, code } = createStream();
  stream.append('```ts\nlet a;\n');
  stream.renderPendingText();
  expect(container.querySelector('button')).toBeNull();
  stream.append('let b;\n```\nafter');
  stream.renderPendingText();
  const buttons = [...container.querySelectorAll<HTMLElement>('button')];
  stream.closeStream();
  expect([...container.querySelectorAll('button')]).toEqual(buttons);
  for (const button of buttons) button.click();
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
    'Copy',
    'Insert',
    'Apply',
    'More actions',
  ]);
  expect(code.copy).toHaveBeenCalledWith('let a;\nlet b;\n');
  expect(code.insert).toHaveBeenCalledWith('let a;\nlet b;\n');
  const context = { info: 'ts', lineBefore: '', textBefore: '' };
  expect(code.apply).toHaveBeenCalledWith('let a;\nlet b;\n', context);
});

test('a code block without a closing fence has no Apply button, because the end of the code may be missing', () => {
  const { container, stream } = createStream();
  stream.append('```ts\nlet a;\nlet b');
  stream.closeStream();
  const labels = [...container.querySelectorAll('button')].map(({ title }) => title);
  expect(labels).toEqual(['Copy', 'Insert', 'More actions']);
});

test.each([
  '- In a list:\n\n  ```ts\n  let a;\n  let b',
  '> ```ts\n> let a;',
  '- ~~~\n  a\n  ```\n',
])('a nested code block without a closing fence has no Apply action in %j', (markdown) => {
  const findApplyButton = (text: string): Element | null => {
    const { container, stream } = createStream();
    stream.append(text);
    stream.closeStream();
    expect(container.querySelector('[data-action="copy"]')).not.toBeNull();
    return container.querySelector('[data-action="apply"]');
  };
  expect(findApplyButton(markdown)).toBeNull();
  expect(findApplyButton('- ```ts\n  let a;\n  ```')).not.toBeNull();
  expect(findApplyButton('- ~~~~\n  ```\n  ~~~~~')).not.toBeNull();
  expect(findApplyButton('- a\n\n      let a;')).not.toBeNull();
});

test('a code block passes the info string and the line before the block to the Apply action', () => {
  const clickApplyButton = (markdown: string): unknown => {
    const { container, stream, code } = createStream();
    stream.append(markdown);
    stream.closeStream();
    container.querySelector<HTMLElement>('[data-action="apply"]')?.click();
    return code.apply.mock.calls[0]?.[1];
  };
  const block = '```ts title="src/a.ts"\nlet a;\n```\n';
  const info = 'ts title="src/a.ts"';
  expect(clickApplyButton(block)).toEqual({ info, lineBefore: '', textBefore: '' });
  expect(clickApplyButton(`text\n\n### \`src/b.ts\`\n\n${block}`)).toEqual({
    info,
    lineBefore: 'src/b.ts',
    textBefore: 'src/b.ts',
  });
  expect(clickApplyButton(`one\nIn **src/b.ts**:\n${block}`)).toEqual({
    info,
    lineBefore: 'In src/b.ts:',
    textBefore: '',
  });
  const listMarkdown = `1. In src/c.ts:\n   ${block.replaceAll('\n', '\n   ')}`;
  expect(clickApplyButton(listMarkdown)).toEqual({
    info,
    lineBefore: 'In src/c.ts:',
    textBefore: '',
  });
  const longBlock = `\`\`\`${'x'.repeat(9_000)}\na\n\`\`\``;
  const longLine = 'src/a.ts'.repeat(500);
  expect(clickApplyButton(`${longLine}\n\n${longBlock}`)).toEqual({
    info: 'x'.repeat(500),
    lineBefore: longLine.slice(0, 500),
    textBefore: '',
  });
});

test('a code block passes the text from the nearest heading to the Apply action', () => {
  const findTextBefore = (markdown: string): string | undefined => {
    const { container, stream, code } = createStream();
    stream.append(markdown);
    stream.closeStream();
    [...container.querySelectorAll<HTMLElement>('[data-action="apply"]')].at(-1)?.click();
    return code.apply.mock.calls[0]?.[1].textBefore;
  };
  const block = '```ts\nlet a;\n```\n';
  expect(findTextBefore(`# A\n\n## \`src/b.ts\`\n\nAdd a\nline:\n\n${block}`)).toBe(
    'src/b.ts\nAdd a line:',
  );
  expect(findTextBefore(`## src/b.ts\n\n\`\`\`ts src/c.ts\nb\n\`\`\`\n\nThen:\n\n${block}`)).toBe(
    'src/b.ts\nts src/c.ts\nThen:',
  );
  expect(findTextBefore(`## src/b.ts\n\n- ${block.replaceAll('\n', '\n  ')}`)).toMatch(
    /^src\/b\.ts/u,
  );
  expect(findTextBefore(`## src/b.ts\n\n${'a '.repeat(3_000)}\n\n${block}`)).toBe('');
});

test('a code block offers the action for a new file in a menu that the keyboard can open and close', () => {
  const { container, stream, code } = createStream();
  document.body.append(container);
  stream.append('```ts\nlet a;\n```\n');
  stream.closeStream();
  const moreButton = container.querySelector<HTMLElement>('[data-action="openMenu"]');
  const findMenuItem = (): HTMLElement | null => container.querySelector('[data-action="newFile"]');
  expect(findMenuItem()).toBeNull();
  moreButton?.click();
  expect(moreButton?.getAttribute('aria-expanded')).toBe('true');
  expect(document.activeElement).toBe(findMenuItem());
  expect(findMenuItem()?.textContent).toBe('New File');
  findMenuItem()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  expect(findMenuItem()).toBeNull();
  expect(document.activeElement).toBe(moreButton);
  expect(moreButton?.getAttribute('aria-expanded')).toBe('false');
  moreButton?.click();
  moreButton?.click();
  expect(findMenuItem()).toBeNull();
  moreButton?.click();
  findMenuItem()?.click();
  expect(code.openNewFile).toHaveBeenCalledWith('let a;\n', 'ts');
  expect(findMenuItem()).toBeNull();
  expect(document.activeElement).toBe(moreButton);
});

test('a code block divides the lines of code into groups of 32', () => {
  const { container, stream } = createStream();
  stream.append(`\`\`\`\n${'x\n'.repeat(70)}\`\`\`\n`);
  stream.renderPendingText();
  const groups = [...container.querySelectorAll('.code-lines')];
  expect(groups.map(({ textContent }) => textContent.length / 2)).toEqual([32, 32, 6]);
});

test('a code block schedules highlighting for idle time when the closing fence arrives', () => {
  const { stream, schedule } = createStream();
  stream.append('```js\nlet a;\n');
  stream.renderPendingText();
  expect(schedule).not.toHaveBeenCalled();
  stream.append('```\n');
  stream.renderPendingText();
  expect(schedule).toHaveBeenCalledTimes(1);
});

function createStream() {
  const code = {
    copy: vi.fn<() => void>(),
    insert: vi.fn<() => void>(),
    openNewFile: vi.fn<() => void>(),
    apply: vi.fn<(text: string, context: CodeContext) => void>(),
  };
  const schedule = vi.fn<() => void>();
  const options = { openLink() {}, code, schedule };
  const container = document.createElement('div');
  return { container, code, schedule, options, stream: new MarkdownStream(container, options) };
}

test('a code block observes its width only while the browser renders the block', async () => {
  const observedElements = new Set<Element>();
  vi.spyOn(ResizeObserver.prototype, 'observe').mockImplementation(
    (e) => void observedElements.add(e),
  );
  vi.spyOn(ResizeObserver.prototype, 'unobserve').mockImplementation(
    (e) => void observedElements.delete(e),
  );
  const { container, stream } = createStream();
  document.body.append(container);
  stream.append('```ts\nlet a;\n```\n\n| a |\n|---|\n| b |\n\n');
  stream.renderPendingText();
  await Promise.resolve();
  const [code, table] = container.querySelectorAll('pre, .table-scroll');
  expect([...observedElements]).toEqual([code, table]);
  const dispatchSkippedChange = (isSkipped: boolean): unknown =>
    container.dispatchEvent(
      Object.assign(new Event('contentvisibilityautostatechange'), { skipped: isSkipped }),
    );
  dispatchSkippedChange(true);
  stream.append('```ts\nlet b;\n```\n');
  stream.closeStream();
  await Promise.resolve();
  expect([...observedElements]).toEqual([]);
  dispatchSkippedChange(false);
  expect([...observedElements]).toEqual([...container.querySelectorAll('pre, .table-scroll')]);
  expect(observedElements.size).toBe(3);
  vi.restoreAllMocks();
});
