import { expect, test } from 'vitest';
import { converse } from './assistant.ts';

const code = '```ts\nexport function tide(at: Date): number {\n  return at.getTime();\n}\n```';
const readme =
  '<attachment: README.md>\n```markdown\n# Tides\n\nPredicts high water.\n\n## Use\n```\n</attachment>';

const ask = (...texts: readonly string[]): string =>
  converse({ model: 'm', messages: texts.map((content) => ({ role: 'user', content })) }, () => 0);

test.each<[question: readonly string[], has: RegExp, hasNot: RegExp]>([
  [['What is a monad?'], /a monad/, /```/],
  [['Explain the TCP handshake'], /stand-in/, /```/],
  [['How do I retry a step?'], /```ts/, /stand-in/],
  [[`Explain this\n\n${code}`], /`tide`/, /stand-in/],
  [[`Explain this\n\n${code}`, 'What is a monad?'], /a monad/, /`tide`/],
  [[`Explain this\n\n${code}`, 'And what does it return?'], /`tide`/, /stand-in/],
  [[`Explain this\n\n${code}`, 'Write tests for tide'], /`?tide/, /stand-in/],
  [[`${readme}\n\nWhat is this about?`], /titled \*\*Tides\*\*[\s\S]*- Use/, /top to bottom/],
  [['Count to 200'], /200\. This is line 200/, /```/],
  [['Hello'], /Hello!/, /stand-in/],
])('%j', (question, has, hasNot) => {
  const answer = ask(...question);
  expect(answer).toMatch(has);
  expect(answer).not.toMatch(hasNot);
});
