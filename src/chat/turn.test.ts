import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ChatEvent, FinishReason } from '../service/chat-types.ts';
import { runTurn, type TurnEvent } from './turn.ts';

type Piece = Partial<Omit<Extract<ChatEvent, { type: 'tool-call-delta' }>, 'type'>>;

const call = (piece: Piece): ChatEvent => ({
  type: 'tool-call-delta',
  index: 0,
  arguments: '',
  ...piece,
});
const end = (finishReason: FinishReason): ChatEvent => ({
  type: 'stream-end',
  outcome: { kind: 'complete', finishReason },
});

test('tool calls are put together from pieces in any order, and nothing in them is read', async () => {
  const result = await resultOf([
    call({ index: 1, id: 'b', name: '__proto__', arguments: '{"__proto__":' }),
    call({ id: 'a', name: 'one' }),
    call({ index: 1, id: 'other', name: 'other', arguments: '{"x":1}' }),
    call({ index: 2, id: 'b', name: 'three', arguments: '{"cut' }),
    end('length'),
  ]);
  expect(result).toMatchObject({ finishReason: 'length' });
  expect(result?.toolCalls).toEqual([
    { id: 'a', type: 'function', function: { name: 'one', arguments: '' } },
    {
      id: 'b',
      type: 'function',
      function: { name: '__proto__', arguments: '{"__proto__":{"x":1}' },
    },
    { id: 'b', type: 'function', function: { name: 'three', arguments: '{"cut' } },
  ]);
  expect(Reflect.get({}, 'x')).toBeUndefined();
});

test('the end comes once, whatever comes after it', async () => {
  const told = await eventsOf([end('stop'), end('length')]);
  expect(told.filter(({ type }) => type === 'turn-end')).toHaveLength(1);
});

async function eventsOf(events: readonly ChatEvent[]): Promise<TurnEvent[]> {
  const told: TurnEvent[] = [];
  async function* stream(): AsyncGenerator<ChatEvent> {
    yield* events;
  }
  const options = { events: stream(), clock: new ManualClock(), estimateCost: () => undefined };
  await runTurn(options, (event) => told.push(event));
  return told;
}

async function resultOf(events: readonly ChatEvent[]) {
  const last = (await eventsOf(events)).at(-1);
  return last?.type === 'turn-end' ? last.result : undefined;
}
