import { expect, test, vi } from 'vitest';
import { collectEarlierTurns, TurnProtections, participantId, type Protection } from './turns.ts';

const vscode = vi.hoisted(() => ({
  ChatRequestTurn: class {
    participant = '';
    prompt = '';
  },
  ChatResponseTurn: class {
    participant = '';
    response: readonly object[] = [];
    result = {};
  },
  ChatResponseMarkdownPart: class {
    value = {};
  },
}));

vi.mock('vscode', () => vscode);

/** Creates a prompt and an answer as in VS Code's chat history. `metadata` is stored with the answer. */
function createTurns(name: string, metadata?: object, participant = participantId): object[] {
  const responsePart = Object.assign(new vscode.ChatResponseMarkdownPart(), {
    value: { value: `${name}!` },
  });
  const prompt = { participant, prompt: `${name}?` };
  const answer = { participant, response: [responsePart], result: { metadata } };
  return [
    Object.assign(new vscode.ChatRequestTurn(), prompt),
    Object.assign(new vscode.ChatResponseTurn(), answer),
  ];
}

const accountUrl = 'https://account.example/api/v1';
const groupUrl = 'https://group.example/api/v1';

const history = [
  ...createTurns('open', { protection: 'open', address: accountUrl }),
  ...createTurns('sealed', { protection: 'encrypted', address: accountUrl }),
  ...createTurns('enclave', { protection: 'attested', address: accountUrl }),
  ...createTurns('theirs', { protection: 'open' }, 'another.participant'),
  ...createTurns('plain', { protection: 'none', address: accountUrl }),
  ...createTurns('unknown'),
  ...createTurns('odd', { protection: 'constructor' }),
];

interface CollectOptions {
  readonly protection?: Protection;
  readonly baseUrl?: string;
  readonly protections?: TurnProtections;
  readonly earlierTurns?: readonly object[];
}

function collectTurns({
  protection = 'open',
  baseUrl = accountUrl,
  protections = new TurnProtections(),
  earlierTurns = history,
}: CollectOptions): unknown[] {
  const { messages, omissionReasons } = collectEarlierTurns({ history: earlierTurns } as never, {
    turnProtections: protections,
    protection,
    baseUrl,
    maxTokens: 1_000,
  });
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : ''));
  return [texts.join(' '), [...omissionReasons].toSorted()];
}

test.each<[string, to: Protection, collectTurns: string, leftOut: readonly string[]]>([
  [
    'attested and encrypted turns from an unprotected request',
    'open',
    'open? open! plain? plain!',
    ['elsewhere', 'weaker'],
  ],
  [
    'encrypted turns from an attested request',
    'attested',
    'open? open! enclave? enclave! plain? plain!',
    ['elsewhere', 'weaker'],
  ],
  [
    'only turns of another service from an encrypted request',
    'encrypted',
    'open? open! sealed? sealed! enclave? enclave! plain? plain!',
    ['elsewhere'],
  ],
])('collectEarlierTurns omits %s', (_name, kind, ...expected) => {
  expect(collectTurns({ protection: kind })).toEqual(expected);
});

test('TurnProtections applies to a stopped turn the strictest protection recorded for its prompt', () => {
  const protections = new TurnProtections();
  protections.recordStoppedTurn({ prompt: 'unknown?' }, { protection: 'open' });
  expect(collectTurns({ protections })[0]).toContain('unknown? unknown!');
  protections.recordStoppedTurn({ prompt: 'unknown?' }, { protection: 'encrypted' });
  protections.recordStoppedTurn({ prompt: 'unknown?' }, { protection: 'open' });
  expect(collectTurns({ protections })[0]).not.toContain('unknown');
});

test('collectEarlierTurns omits turns that another service may have received, but includes turns that were never sent', () => {
  const kind = 'encrypted';
  const earlierTurns = [
    ...createTurns('mine', { protection: 'none', address: accountUrl }),
    ...createTurns('grouped', { protection: 'none', address: groupUrl }),
    ...createTurns('refused', { protection: 'open' }),
  ];
  const omissionReasons = ['elsewhere'];
  expect(collectTurns({ protection: kind, earlierTurns })).toEqual([
    'mine? mine! refused? refused!',
    omissionReasons,
  ]);
  expect(collectTurns({ protection: kind, earlierTurns, baseUrl: groupUrl })).toEqual([
    'grouped? grouped! refused? refused!',
    omissionReasons,
  ]);
  expect(
    collectTurns({
      protection: kind,
      earlierTurns: createTurns('refused', { protection: 'open' }),
    })[1],
  ).toEqual([]);
  for (const address of [accountUrl, groupUrl])
    expect(
      collectTurns({ protection: kind, earlierTurns: createTurns('unknown'), baseUrl: address }),
    ).toEqual(['', omissionReasons]);
});

test('TurnProtections permits sending a stopped turn only to the service that received the turn, and to no service if several services may have received the turn', () => {
  const protections = new TurnProtections();
  protections.recordStoppedTurn({ prompt: 'unknown?' }, { protection: 'open', address: groupUrl });
  expect(collectTurns({ protections })[0]).not.toContain('unknown');
  expect(collectTurns({ protections, baseUrl: groupUrl })[0]).toBe('unknown? unknown!');
  protections.recordStoppedTurn(
    { prompt: 'unknown?' },
    { protection: 'open', address: accountUrl },
  );
  expect(collectTurns({ protections })[0]).not.toContain('unknown');
  expect(collectTurns({ protections, baseUrl: groupUrl })[0]).toBe('');
});
