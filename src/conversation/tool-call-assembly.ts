import { isId } from '../base/ids.ts';
import type { ChatEvent } from '../service/chat/chat-types.ts';
import type { RequestedCall } from './conversation.ts';

type ToolCallDelta = Extract<ChatEvent, { type: 'tool-call-delta' }>;

/** Maximum length of the arguments of one call, in characters of the JSON text. */
const maxArgumentsLength = 1024 * 1024;

/** Assembles tool calls from stream deltas. Deltas can be interleaved, out of order or malformed on purpose. */
export class ToolCallAssembly {
  readonly #calls = new Map<
    number,
    { id: string; name: string; arguments: string[]; length: number }
  >();
  #hasInvalidCall = false;

  add({ index, id = '', name = '', arguments: text }: ToolCallDelta): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', arguments: [], length: 0 };
    this.#calls.set(index, call);
    call.id ||= id;
    call.name ||= name;
    call.length += text.length;
    if (call.length <= maxArgumentsLength) call.arguments.push(text);
  }

  /**
   * Records a delta that belongs to no call. In this case, {@link listCalls} adds a call with a `problem` to its
   * result.
   */
  addInvalidCall(): void {
    this.#hasInvalidCall = true;
  }

  /**
   * Returns all calls, ordered by index. Ids are unique and not empty. Names contain only
   * characters that the service accepts.
   */
  listCalls(): readonly RequestedCall[] {
    const usedIds = new Set<string>();
    const sortedCalls = [...this.#calls.entries()].toSorted(([a], [b]) => a - b);
    const assembledCalls = sortedCalls.map(([index, call]): RequestedCall => {
      const id = createUniqueId(call.id, index, usedIds);
      usedIds.add(id);
      const name = call.name.replaceAll(/[^\w-]/gu, '_').slice(0, 64) || 'unnamed';
      const problem = findCallProblem(call);
      return {
        id,
        type: 'function',
        function: { name, arguments: problem === undefined ? call.arguments.join('') : '{}' },
        ...(problem === undefined ? {} : { problem }),
      };
    });
    return this.#hasInvalidCall
      ? [...assembledCalls, createInvalidCall(createUniqueId('', assembledCalls.length, usedIds))]
      : assembledCalls;
  }
}

function findCallProblem(call: {
  readonly name: string;
  readonly length: number;
}): string | undefined {
  if (call.name === '') return 'The call has no name.';
  if (!isId(call.name)) return 'There is no tool with this name.';
  if (call.length > maxArgumentsLength) return 'The arguments are too long: at most 1 MiB.';
  return undefined;
}

const createInvalidCall = (id: string): RequestedCall => ({
  id,
  type: 'function',
  function: { name: 'unnamed', arguments: '{}' },
  problem: 'The call is malformed: its index or its name is invalid.',
});

function createUniqueId(id: string, index: number, usedIds: ReadonlySet<string>): string {
  const preferredId = /^[\w.:-]{1,128}$/u.test(id) ? id : `call_${index}`;
  for (let count = 0, candidate = preferredId; ; count++, candidate = `call_${index}_${count}`) {
    if (!usedIds.has(candidate)) return candidate;
  }
}
