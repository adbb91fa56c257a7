// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { MarkdownStream, renderMarkdown } from './markdown-stream.ts';

test('keeps the same buttons while the code grows, and passes the current code to the button actions', () => {
  const { container, stream, code } = start();
  stream.append('```ts\nlet a;\n');
  stream.flush();
  const buttons = [...container.querySelectorAll<HTMLElement>('button')];
  stream.append('let b;\n```\nafter');
  stream.end();
  expect([...container.querySelectorAll('button')]).toEqual(buttons);
  for (const button of buttons) button.click();
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
    'Copy',
    'Insert at cursor',
    'New file',
  ]);
  expect(code.copy).toHaveBeenCalledWith('let a;\nlet b;\n');
  expect(code.insert).toHaveBeenCalledWith('let a;\nlet b;\n');
  expect(code.newFile).toHaveBeenCalledWith('let a;\nlet b;\n', 'ts');
});

test('groups the lines of code in groups of 32', () => {
  const { container, stream } = start();
  stream.append(`\`\`\`\n${'x\n'.repeat(70)}\`\`\`\n`);
  stream.flush();
  const groups = [...container.querySelectorAll('.code-lines')];
  expect(groups.map(({ textContent }) => textContent.length / 2)).toEqual([32, 32, 6]);
});

test('schedules highlighting for idle time when the closing fence arrives', () => {
  const { stream, schedule } = start();
  stream.append('```js\nlet a;\n');
  stream.flush();
  expect(schedule).not.toHaveBeenCalled();
  stream.append('```\n');
  stream.flush();
  expect(schedule).toHaveBeenCalledTimes(1);
});

test('renders the start of a long saved text immediately, and eventually the same content as a stream', () => {
  const { container: streamed, stream, options } = start();
  const text = '# Head\n\ntext with [a]\n\n- item\n\n'.repeat(2_000) + '[a]: http://b.c';
  stream.append(text);
  stream.end();
  const tasks: (() => void)[] = [];
  const restored = document.createElement('div');
  renderMarkdown(restored, text, { ...options, schedule: (run) => void tasks.push(run) });
  expect(restored.textContent.length).toBeLessThan(20_000);
  for (let task = tasks.shift(); task; task = tasks.shift()) task();
  expect(restored.innerHTML).toBe(streamed.innerHTML);
});

test('does not change the container after disposal', () => {
  const { container, options } = start();
  const tasks: (() => void)[] = [];
  const schedule = (run: () => void): void => void tasks.push(run);
  renderMarkdown(container, 'words\n\n'.repeat(5_000), { ...options, schedule }).dispose();
  container.replaceChildren();
  for (let task = tasks.shift(); task; task = tasks.shift()) task();
  expect(container.childElementCount).toBe(0);
});

function start() {
  const code = {
    copy: vi.fn<() => void>(),
    insert: vi.fn<() => void>(),
    newFile: vi.fn<() => void>(),
  };
  const schedule = vi.fn<() => void>();
  const options = { openLink() {}, code, schedule };
  const container = document.createElement('div');
  return { container, code, schedule, options, stream: new MarkdownStream(container, options) };
}
