import { expect, test } from 'vitest';
import { mentionsCodebase, parseSlashCommand } from './slash-commands.ts';
import { readImagePrompt } from '../chat/image-turn.ts';
import {
  maxPromptLength,
  stripPromptDirectives,
  derivePromptName,
  readPromptFile,
} from './prompt-file.ts';

test('readPromptFile reads the fields of the header and the prompt', () => {
  const text = [
    '---',
    'description: "Reviews a change"',
    'mode: agent',
    "model: 'Breeze 3'",
    'tools: [search]',
    '---',
    '',
    'Review ${input:what:which change}.',
  ].join('\r\n');
  expect(readPromptFile(text)).toEqual({
    description: 'Reviews a change',
    mode: 'agent',
    model: 'Breeze 3',
    body: 'Review ${input:what:which change}.',
  });
});

test.each([
  ['no header', 'Review it.', 'Review it.'],
  ['an empty header', '---\n---\nReview it.', 'Review it.'],
  ['only a header', '---\ndescription: x\n---', ''],
  ['an unterminated header', '---\ndescription: x\nReview it.', '---\ndescription: x\nReview it.'],
  ['dashes in the body', 'One\n---\nTwo\n---\n', 'One\n---\nTwo\n---'],
  ['no text', '', ''],
])('readPromptFile returns the prompt text of a file with %s', (_description, text, body) => {
  expect(readPromptFile(text).body).toBe(body);
});

test('readPromptFile removes hidden characters from the description and the prompt', () => {
  const text = '---\ndescription: a\u{E0041}b\n---\nDo\u200B it\u202E';
  expect(readPromptFile(text)).toMatchObject({ description: 'ab', body: 'Do it' });
});

test('readPromptFile limits the length of description and prompt, and reads a header of 30,000 lines', () => {
  const longFile = readPromptFile(
    `---\ndescription: ${'x'.repeat(5_000)}\n---\n${'y'.repeat(90_000)}`,
  );
  expect([longFile.description.length, longFile.body.length]).toEqual([200, maxPromptLength]);
  expect(readPromptFile(`---\n${'a:\n'.repeat(30_000)}`).description).toBe('');
});

test.each([
  ['#codebase Where are keys?', 'codebase Where are keys?'],
  ['Where are keys?\n#codebase', 'Where are keys?\ncodebase'],
  ['#codebase #codebase', 'codebase codebase'],
  ['/fix it', 'fix it'],
  ['/commit', 'commit'],
  ['/image of a key', 'image of a key'],
  ['/explain #codebase', 'explain codebase'],
])(
  'stripPromptDirectives removes slash commands and codebase mentions from the prompt %j',
  (body, text) => {
    expect(stripPromptDirectives(body)).toBe(text);
    const parsePrompt = (message: string): unknown[] => [
      mentionsCodebase(message),
      parseSlashCommand(message) !== undefined,
      readImagePrompt(message) !== undefined,
    ];
    expect(parsePrompt(body)).toContain(true);
    expect(parsePrompt(text)).not.toContain(true);
  },
);

test.each(['/my-prompt.x go', '/prüfe x', '/prompt1'])(
  'stripPromptDirectives removes the slash of a prompt file command in %j',
  (body) => {
    expect(stripPromptDirectives(body)).toBe(body.slice(1));
  },
);

test.each(['#codebases', 'a#codebase', '/etc/hosts is a file', 'Use /fix', '//fix', '# codebase'])(
  'stripPromptDirectives removes nothing from the prompt %j',
  (body) => {
    expect(stripPromptDirectives(body)).toBe(body);
  },
);

test.each([
  ['review.prompt.md', 'review'],
  ['über-prüfung.v2.prompt.md', 'über-prüfung.v2'],
  ['two words.prompt.md', undefined],
  ['../up.prompt.md', undefined],
  ['.prompt.md', undefined],
  ['-x.prompt.md', undefined],
  ['review.md', undefined],
  [`${'x'.repeat(61)}.prompt.md`, undefined],
])('derivePromptName converts the file name %s to the prompt name %s', (fileName, name) => {
  expect(derivePromptName(fileName)).toBe(name);
});
