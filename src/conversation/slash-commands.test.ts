import { expect, test } from 'vitest';
import { answer, user } from '../../test/support/conversation-builder.ts';
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
])('parses %j as the command %s with the text %j', (text, name, rest) => {
  const parsed = parseSlashCommand(text);
  expect([parsed?.command.name, parsed?.rest]).toEqual([name, rest]);
});

test.each(['fix', '/fixed', '/FIX', '/ fix', 'please /fix', '/image a cat', '/compact', '/', ''])(
  'does not parse or expand %j',
  (text) => {
    expect(parseSlashCommand(text)).toBeUndefined();
    expect(expandSlashCommand(text)).toBe(text);
  },
);

test.each(slashCommands)('replaces /$name with its prompt', ({ name, prompt }) => {
  expect(expandSlashCommand(`/${name}`)).toBe(prompt);
  expect(expandSlashCommand(`/${name} in short`)).toBe(`${prompt}\n\nin short`);
});

test('gives each command a unique name', () => {
  const names = slashCommands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('expands a command, and returns the same object each time', () => {
  const fix = user('u1', null, '/fix it');
  expect(expandMessage(fix)).toEqual({ ...fix, text: expandSlashCommand('/fix it') });
  expect(expandMessage(fix)).toBe(expandMessage(fix));
});

test.each([user('u1', null, 'Hello'), user('u2', null, '/unknown'), answer('a1', 'u1', '/fix')])(
  'returns other messages unchanged: $text',
  (message) => {
    expect(expandMessage(message)).toBe(message);
  },
);
