import { isRecord, parseJson } from '../../../../src/base/json.ts';
import type { ChatBody, Message } from '../../chat/body.ts';
import { partsOf, textOf } from '../../chat/messages.ts';
import { latestRequestIn } from './recap.ts';
import { type Outcome, readOutcome } from './outcome.ts';

/** What is to be done, and what was tried for it so far: all read from the conversation, nothing is remembered. */
export interface Task {
  /** What the person wrote, their own code blocks included, without what they attached. */
  readonly request: string;
  /** The files that were attached, in their order. */
  readonly attached: readonly string[];
  /** Of all calls since the request, in their order. */
  readonly outcomes: readonly Outcome[];
  /** Addresses of the pictures that tools read since. */
  readonly images: readonly string[];
}

export function taskOf(body: ChatBody): Task {
  const start = body.messages.findLastIndex(
    (message, index) =>
      message.role === 'user' && !isMaterial(body.messages, index) && !asksToGoOn(textOf(message)),
  );
  const text = start < 0 ? '' : textOf(body.messages[start]!);
  const since = body.messages.slice(start + 1);
  const { rest, paths } = withoutAttachments(text);
  return {
    request: latestRequestIn(text) ?? rest,
    attached: paths,
    outcomes: outcomesIn(since),
    images: since.flatMap((message) =>
      partsOf(message).flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : [])),
    ),
  };
}

/** Pictures that a tool read follow its result in the name of the person. */
const isMaterial = (messages: readonly Message[], index: number): boolean =>
  messages[index - 1]?.role === 'tool' &&
  partsOf(messages[index]!).some((part) => part.type === 'image_url');

const asksToGoOn = (text: string): boolean =>
  /^(?:please |yes,? |ok(?:ay)?,? )*(?:go on|continue|carry on|keep going|yes|your answer was cut off\b.*)[.!\s]*$/is.test(
    text.trim(),
  );

const attachment =
  /<([a-z]+)(?:[: ][^>\n]*)?>\n(`{3,})[^\n]*\n(?:[\s\S]*?\n)?\2\n<\/\1>|<\/?[a-z]+: [^>\n]*>/g;

function withoutAttachments(text: string): { rest: string; paths: readonly string[] } {
  const marks = text.matchAll(/<attachment: ([^>\n]+?)(?::\d+(?:-\d+)?)?>/g);
  return {
    rest: text.replaceAll(attachment, '').trim(),
    paths: [...marks].flatMap(([, path]) => path ?? []),
  };
}

/** Every answered call, in the order of the calls. */
export function outcomesIn(messages: readonly Message[]): Outcome[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.tool_call_id, textOf(message)] as const] : [],
    ),
  );
  return messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return (message.tool_calls ?? []).flatMap(({ id, function: { name, arguments: json } }) => {
      const args = parseJson(json);
      const text = results.get(id);
      return text === undefined
        ? []
        : [readOutcome({ name, args: isRecord(args) ? args : {} }, text)];
    });
  });
}
