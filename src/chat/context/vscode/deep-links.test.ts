import { expect, test, vi } from 'vitest';
import { openDeepLink, readDeepLink } from './deep-links.ts';

const dialogs = vi.hoisted(() => ({
  shown: [] as string[],
  errors: [] as string[],
  answer: undefined as string | undefined,
}));
const addConnection = vi.hoisted(() => vi.fn());
vi.mock('vscode', () => ({
  l10n: { t: (text: string, value = '') => text.replace('{0}', value) },
  window: {
    showErrorMessage: (message: string) => {
      dialogs.errors.push(message);
      return Promise.resolve(undefined);
    },
    showWarningMessage: (_: string, { detail = '' }: { detail?: string }) => {
      dialogs.shown.push(detail);
      return Promise.resolve(dialogs.answer);
    },
  },
}));
vi.mock('../../../account/vscode/key-commands.ts', () => ({ addProfileAndKey: addConnection }));

const readLink = (path: string, query: string) => readDeepLink({ path, query });

test.each([
  ['/chat', 'prompt=Explain this', { kind: 'chat', prompt: 'Explain this' }],
  ['/chat', 'prompt=1+1', { kind: 'chat', prompt: '1+1' }],
  ['/chat', 'prompt=a & b = 100%25', { kind: 'chat', prompt: 'a & b = 100%25' }],
  ['/chat', 'prompt=Explain a&b=c to me', { kind: 'chat', prompt: 'Explain a&b=c to me' }],
  ['/chat', 'prompt=Read x.example/?a=1&b=2', { kind: 'chat', prompt: 'Read x.example/?a=1&b=2' }],
  ['/chat', 'model=x&prompt=a\nb', { kind: 'chat', prompt: 'a\nb' }],
  ['/chat', 'prompt=Read a.ts&send=true&model=x', { kind: 'chat', prompt: 'Read a.ts' }],
  ['/chat', 'prompt=Read a?\nNow&send=', { kind: 'chat', prompt: 'Read a?\nNow' }],
  ['/chat', 'prompt=/image a fox', { kind: 'chat', prompt: 'image a fox' }],
  ['/chat', 'prompt=a\u{E0041}b', { kind: 'chat', prompt: 'ab' }],
  [
    '/connect',
    'key=k&baseUrl=https://a.example/v1?a=b&apiKey=secret&model=x',
    { kind: 'connect', baseUrl: 'https://a.example/v1?a=b' },
  ],
])('readDeepLink reads the link "%s?%s"', (path, query, expected) => {
  expect(readLink(path, query)).toEqual(expected);
});

test.each([
  ['many line breaks', `a${'\n \t\r\n'.repeat(900)}b`, 'a\n\nb'],
  ['many spaces', `a${' \u00a0\u3000'.repeat(900)}b`, 'a b'],
  ['many blank Braille patterns', `a${'\u2800'.repeat(900)}b`, 'a b'],
  ['many object replacement characters', `a${'\uFFFC'.repeat(900)}b`, 'a b'],
  ['many private-use characters', `a${'\uE000\u{F0000}'.repeat(900)}b`, 'a b'],
  ['spaces mixed with invisible characters', `a${' \u2800 \uFFFC'.repeat(900)}b`, 'a b'],
  ['many lines of blank characters', `a${'\n\u2800\n \uE000'.repeat(900)}\nb`, 'a\n\nb'],
])('readDeepLink shortens a prompt with %s', (_, query, prompt) => {
  expect(readLink('/chat', `prompt=${query}`)).toEqual({ kind: 'chat', prompt });
});

test('readDeepLink keeps the line breaks and the indentation of a list in a prompt', () => {
  const prompt = 'a:\n  - b\n\n    c';
  expect(readLink('/chat', `prompt=${prompt}`)).toEqual({ kind: 'chat', prompt });
});

test.each([
  ['/chat', ''],
  ['/chat', 'theprompt=a'],
  ['/chat', `prompt=${'a'.repeat(4_001)}`],
  ['/chat/', 'prompt=a'],
  ['/mint', 'prompt=a'],
  ['/connect', 'baseUrl=javascript:alert(1)'],
  ['/connect', 'baseUrl=https://user:key@a.example'],
  ['/connect', `baseUrl=https://a.example/${'a'.repeat(500)}`],
  ['/connect', 'apiKey=secret'],
])('readDeepLink rejects the link "%s?%s"', (path, query) => {
  expect(readLink(path, query)).toBeUndefined();
});

test.each([
  ['/chat', 'prompt=Hello', 'Hello', ''],
  [
    '/connect',
    'baseUrl=https://a.example/v1',
    'https://a.example/v1',
    '\n\n“Open” fills in this address for a new connection.',
  ],
])(
  'openDeepLink shows the content of the link %s in a confirmation, and does nothing if the user declines',
  async (path, query, content, explanation) => {
    const startDraft = vi.fn();
    const account = {};
    const ports = { account, chat: { get: () => Promise.resolve({ startDraft }) } } as never;
    addConnection.mockClear();
    for (const answer of [undefined, 'Open']) {
      dialogs.answer = answer;
      await openDeepLink({ path, query } as never, ports);
      expect(dialogs.shown.at(-1)).toBe(`${content}${explanation}`);
      const calls = [...startDraft.mock.calls, ...addConnection.mock.calls];
      expect(calls).toHaveLength(answer === undefined ? 0 : 1);
      if (answer !== undefined) expect(calls[0]?.at(-1)).toBe(content);
    }
  },
);

test('openDeepLink shows an error message for an invalid link', async () => {
  await openDeepLink({ path: '/mint', query: 'prompt=a' } as never, {} as never);
  expect(dialogs.errors).toEqual(['This link cannot be opened.']);
});
