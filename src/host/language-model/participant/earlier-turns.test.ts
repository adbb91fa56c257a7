import { expect, test, vi } from 'vitest';
import { earlierTurns } from './earlier-turns.ts';
import { participantId } from './persona.ts';
import { type Protection, TurnProtections } from './turn-protections.ts';

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

/** A prompt and its answer, with what is kept of how they were protected. */
function turns(name: string, metadata?: object, participant = participantId): object[] {
  const part = Object.assign(new vscode.ChatResponseMarkdownPart(), {
    value: { value: `${name}!` },
  });
  const prompt = { participant, prompt: `${name}?` };
  const answer = { participant, response: [part], result: { metadata } };
  return [
    Object.assign(new vscode.ChatRequestTurn(), prompt),
    Object.assign(new vscode.ChatResponseTurn(), answer),
  ];
}

const history = [
  ...turns('open', { protection: 'open' }),
  ...turns('sealed', { protection: 'encrypted' }),
  ...turns('enclave', { protection: 'attested' }),
  ...turns('theirs', { protection: 'open' }, 'another.participant'),
  ...turns('plain', { protection: 'none' }),
  ...turns('unknown'),
  ...turns('odd', { protection: 'constructor' }),
];

function sent(kind: Protection, protections = new TurnProtections()): unknown[] {
  const { messages, leftOut } = earlierTurns({ history } as never, {
    protections,
    kind,
    most: 1_000,
  });
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : ''));
  return [texts.join(' '), leftOut];
}

test.each<[to: Protection, sent: string, leftOut: boolean]>([
  ['open', 'open? open! plain? plain!', true],
  ['attested', 'open? open! enclave? enclave! plain? plain!', true],
  [
    'encrypted',
    'open? open! sealed? sealed! enclave? enclave! plain? plain! unknown? unknown! odd? odd!',
    false,
  ],
])('to a model that is %s goes only what was protected no better', (to, ...expected) => {
  expect(sent(to)).toEqual(expected);
});

test('an answer that was stopped goes along by what this window knows of it', () => {
  const protections = new TurnProtections();
  protections.stopped({ prompt: 'unknown?' }, 'open');
  expect(sent('open', protections)[0]).toContain('unknown? unknown!');
  protections.stopped({ prompt: 'unknown?' }, 'encrypted');
  protections.stopped({ prompt: 'unknown?' }, 'open');
  expect(sent('open', protections)[0]).not.toContain('unknown');
});
