import { expect, test } from 'vitest';
import { createTextAnswer, createUserMessage } from '../../test/support/conversation-builder.ts';
import {
  expandMessage,
  expandSlashCommand,
  parseSlashCommand,
  slashCommands,
} from './slash-commands.ts';

test.each([
  ['/fix', 'fix', ''],
  ['  /fix  ', 'fix', ''],
  ['/fix the second one', 'fix', 'the second one'],
  ['/tests\nonly for\nfailures', 'tests', 'only for\nfailures'],
])(
  'parseSlashCommand, given the text %j, returns the command %s and the remaining text %j',
  (text, name, rest) => {
    const parsedCommand = parseSlashCommand(text);
    expect([parsedCommand?.command.name, parsedCommand?.rest]).toEqual([name, rest]);
  },
);

test.each(['fix', '/fixed', '/FIX', '/ fix', 'please /fix', '/image a cat', '/compact', '/', ''])(
  'parseSlashCommand finds no slash command in the text %j',
  (text) => {
    expect(parseSlashCommand(text)).toBeUndefined();
    expect(expandSlashCommand(text)).toBe(text);
  },
);

test.each(slashCommands)(
  'expandSlashCommand replaces /$name with the prompt of the command',
  ({ name, prompt }) => {
    expect(expandSlashCommand(`/${name}`)).toBe(prompt);
    expect(expandSlashCommand(`/${name} in short`)).toBe(`${prompt}\n\nin short`);
  },
);

test('the names of all slash commands are different', () => {
  const names = slashCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('expandMessage expands the slash command of a message, and returns the same object when called again', () => {
  const fixMessage = createUserMessage('u1', null, '/fix it');
  expect(expandMessage(fixMessage)).toEqual({ ...fixMessage, text: expandSlashCommand('/fix it') });
  expect(expandMessage(fixMessage)).toBe(expandMessage(fixMessage));
});

test.each([
  ['a user message without a slash command', createUserMessage('u1', null, 'Hello')],
  ['a user message with an unknown slash command', createUserMessage('u2', null, '/unknown')],
  ['an answer that begins with a slash command', createTextAnswer('a1', 'u1', '/fix')],
])('expandMessage returns %s unchanged', (_, message) => {
  expect(expandMessage(message)).toBe(message);
});
