// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { StreamedText } from './text-fold.ts';

/** Creates a Markdown code block of `lineCount` lines with 10,000 characters each. */
const createCodeText = (lineCount: number): string =>
  `\`\`\`text\n${`${'x'.repeat(9_999)}\n`.repeat(lineCount)}\`\`\`\n`;

test('StreamedText shows the rest of a huge streamed text on demand, and shows its size while the text grows', () => {
  const { container, text, getShownLength, findMoreButton } = createFold();
  const wholeText = createCodeText(250);
  for (let end = 100_000; end < wholeText.length; end += 100_000)
    text.show(wholeText.slice(0, end), true);
  expect(getShownLength()).toBeGreaterThan(999_000);
  expect(getShownLength()).toBeLessThan(1_000_001);
  expect(findMoreButton()?.textContent).toBe('Show More (1.5 MB)');
  text.show(wholeText, false);
  expect(container.querySelector('.code-action')).toBeNull();
  findMoreButton()?.click();
  expect(getShownLength()).toBeLessThan(1_020_000);
  runTasks();
  expect(getShownLength()).toBeGreaterThan(1_999_000);
  expect(findMoreButton()?.textContent).toBe('Show More (500 kB)');
  findMoreButton()?.click();
  runTasks();
  expect(findMoreButton()).toBeNull();
  expect(container.querySelector('.code-action')).not.toBeNull();
  expect(container.querySelector('code')?.textContent).toBe(wholeText.slice(8, -4));
});

test('StreamedText shows the rest of a huge saved text on demand', () => {
  const { container, text, getShownLength, findMoreButton } = createFold();
  const wholeText = createCodeText(150);
  text.show(wholeText, false);
  expect(getShownLength()).toBeLessThan(20_000);
  findMoreButton()?.click();
  runTasks();
  expect(findMoreButton()).toBeNull();
  const streamedFold = createFold();
  streamedFold.text.show(wholeText.slice(0, 900_000), true);
  streamedFold.text.show(wholeText, false);
  streamedFold.findMoreButton()?.click();
  runTasks();
  expect(container.innerHTML).toBe(streamedFold.container.innerHTML);
});

test('StreamedText replaces the previous text if the new text does not start with the previous text', () => {
  const { container, text } = createFold();
  text.show('one two three', true);
  text.show('another', true);
  expect(container.textContent).toBe('another');
  text.show('the last text', false);
  expect(container.textContent).toBe('the last text');
});

test('StreamedText completes an unchanged text when the answer ends', () => {
  const { container, text } = createFold();
  text.show('so **bold', true);
  expect(container.textContent).toBe('so bold');
  text.show('so **bold', false);
  expect(container.textContent).toBe('so **bold');
});

test('StreamedText keeps the keyboard focus in the text when a click shows the rest of the text', () => {
  const { container, text, findMoreButton } = createFold();
  document.body.append(container);
  text.show(createCodeText(150), false);
  findMoreButton()?.focus();
  findMoreButton()?.click();
  runTasks();
  expect(findMoreButton()).toBeNull();
  expect(document.activeElement).toBe(container);
  container.remove();
});

test('StreamedText limits the visible length of a huge unformatted text', () => {
  const { container, text, findMoreButton } = createFold();
  text.showPlainText('x'.repeat(1_500_000));
  expect(container.firstChild?.textContent).toHaveLength(1_000_000);
  expect(findMoreButton()?.textContent).toBe('Show More (500 kB)');
  findMoreButton()?.click();
  expect(container.textContent).toHaveLength(1_500_000);
});

test('StreamedText renders the start of a long saved text immediately, and later all of its content', () => {
  const wholeText = `${'# Head\n\ntext with [a]\n\n- item\n\n'.repeat(1_000)}[a]: http://b.c`;
  const { container, text } = createFold();
  text.show(wholeText, false);
  expect(container.textContent.length).toBeLessThan(20_000);
  runTasks();
  const streamedFold = createFold();
  for (let end = 100; end < wholeText.length; end += 100)
    streamedFold.text.show(wholeText.slice(0, end), true);
  streamedFold.text.show(wholeText, false);
  expect(container.innerHTML).toBe(streamedFold.container.innerHTML);
});

test('StreamedText does not change the container after disposal', () => {
  const { container, text } = createFold();
  text.show('words\n\n'.repeat(5_000), false);
  text.dispose();
  container.replaceChildren();
  runTasks();
  expect(container.childElementCount).toBe(0);
});

const tasks: (() => void)[] = [];

function runTasks(): void {
  for (let task = tasks.shift(); task; task = tasks.shift()) task();
}

function createFold() {
  const container = document.createElement('div');
  const text = new StreamedText(container, {
    openLink() {},
    code: { copy() {}, insert() {}, openNewFile() {}, apply() {} },
    schedule: (run) => void tasks.push(run),
  });
  const getShownLength = (): number => container.querySelector('code')?.textContent.length ?? 0;
  const findMoreButton = (): HTMLElement | null => container.querySelector('.more-text');
  return { container, text, getShownLength, findMoreButton };
}
