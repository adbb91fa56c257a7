import type { ChatEvent } from '../service/chat/chat-types.ts';
import type { RequestedCall } from './conversation.ts';

type Piece = Extract<ChatEvent, { type: 'tool-call-delta' }>;

/** Longest arguments of one call, in characters of their JSON text. */
const maxArguments = 1024 * 1024;

/** Puts tool calls together from pieces that may come interleaved, out of order, or made to harm. */
export class ToolCallAssembly {
  readonly #calls = new Map<
    number,
    { id: string; name: string; arguments: string[]; length: number }
  >();
  #refused = false;

  add({ index, id = '', name = '', arguments: text }: Piece): void {
    const call = this.#calls.get(index) ?? { id: '', name: '', arguments: [], length: 0 };
    this.#calls.set(index, call);
    call.id ||= id;
    call.name ||= name;
    call.length += text.length;
    if (call.length <= maxArguments) call.arguments.push(text);
  }

  /** Notes that there were pieces which belong to no call. */
  refuse(): void {
    this.#refused = true;
  }

  /** All calls by their index. Ids are unique and never empty; names are such that a service takes them back. */
  calls(): readonly RequestedCall[] {
    const taken = new Set<string>();
    const calls = [...this.#calls.entries()].toSorted(([a], [b]) => a - b);
    const assembled = calls.map(([index, call]): RequestedCall => {
      const id = freeId(call.id, index, taken);
      taken.add(id);
      const name = call.name.replaceAll(/[^\w-]/gu, '_').slice(0, 64) || 'unnamed';
      const problem = problemOf(call);
      return {
        id,
        type: 'function',
        function: { name, arguments: problem === undefined ? call.arguments.join('') : '{}' },
        ...(problem === undefined ? {} : { problem }),
      };
    });
    return this.#refused
      ? [...assembled, invalidCall(freeId('', assembled.length, taken))]
      : assembled;
  }
}

function problemOf(call: { readonly name: string; readonly length: number }): string | undefined {
  if (call.name === '') return 'The call has no name.';
  if (!/^[\w-]{1,64}$/u.test(call.name)) return 'There is no tool of this name.';
  if (call.length > maxArguments) return 'The arguments are too long: at most 1 MiB.';
  return undefined;
}

const invalidCall = (id: string): RequestedCall => ({
  id,
  type: 'function',
  function: { name: 'unnamed', arguments: '{}' },
  problem: 'A call could not be read: its index or its name is not valid.',
});

function freeId(id: string, index: number, taken: ReadonlySet<string>): string {
  const wished = /^[\w.:-]{1,128}$/u.test(id) ? id : `call_${index}`;
  for (let count = 0, free = wished; ; count++, free = `call_${index}_${count}`) {
    if (!taken.has(free)) return free;
  }
}
