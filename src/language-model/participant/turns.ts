import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { isRecord, stringOr } from '../../base/json.ts';
import { estimateTokens } from '../../base/token-estimate.ts';
import { slashCommands } from '../../conversation/slash-commands.ts';
import type { ChatRequestMessage } from '../../service/chat/chat-types.ts';
import { type ChatGuard, isWeaker } from '../../service/chat/protection.ts';

/** As VS Code marks the turns that are ours. */
export const participantId = 'inferenceService.inference';

export type Protection = ChatGuard['kind'];

/** How a turn was protected, and where it went. */
export interface KeptTurn {
  readonly protection: Protection;
  /** Of the service that has it; undefined when none does. */
  readonly address?: string | undefined;
}

/** The address of a service that nobody knows. */
const anywhere = '';

type History = vscode.ChatContext['history'];
type Prompt = Pick<vscode.ChatRequest, 'prompt'> & { readonly command?: string | undefined };

const mostStopped = 100;
const kinds: readonly Protection[] = ['open', 'none', 'attested', 'encrypted'];

/** What is kept of the turns of VS Code's chat with us: each answer has it in its metadata. */
export class KeptTurns {
  /** VS Code keeps no metadata of an answer that the person stopped. */
  readonly #stopped = new Map<string, KeptTurn>();

  /** Remembers in this window a turn that the person stopped. */
  stopped(prompt: Prompt, turn: KeptTurn): void {
    const key = keyOf(prompt);
    // Two chats with the same words cannot be told apart.
    this.#stopped.set(key, strictest(this.#stopped.get(key) ?? turn, turn));
    const [oldest] = this.#stopped.keys();
    if (this.#stopped.size > mostStopped && oldest !== undefined) this.#stopped.delete(oldest);
  }

  /** Of the prompt or the answer at this place of the history. What is not known counts as another service's secret. */
  ofTurn(history: History, at: number): KeptTurn {
    const turn = history[at];
    const [prompt, answer] =
      turn instanceof vscode.ChatRequestTurn ? [turn, history[at + 1]] : [history[at - 1], turn];
    const stopped = isPrompt(prompt) ? this.#stopped.get(keyOf(prompt)) : undefined;
    const kept = isAnswer(answer) ? keptIn(answer) : undefined;
    return kept ?? stopped ?? { protection: 'encrypted', address: anywhere };
  }
}

function strictest(a: KeptTurn, b: KeptTurn): KeptTurn {
  const { protection } = isWeaker(a.protection, b.protection) ? b : a;
  return { protection, address: a.address === b.address ? a.address : anywhere };
}

const isPrompt = (turn: History[number] | undefined): turn is vscode.ChatRequestTurn =>
  turn instanceof vscode.ChatRequestTurn && turn.participant === participantId;

const isAnswer = (turn: History[number] | undefined): turn is vscode.ChatResponseTurn =>
  turn instanceof vscode.ChatResponseTurn && turn.participant === participantId;

function keptIn({ result }: vscode.ChatResponseTurn): KeptTurn | undefined {
  const metadata: unknown = result.metadata;
  if (!isRecord(metadata)) return undefined;
  const protection = kinds.find((kind) => kind === metadata['protection']);
  return protection && { protection, address: stringOr(metadata['address'], undefined) };
}

const keyOf = ({ command = '', prompt }: Prompt): string => `${command} ${prompt}`;

interface Limits {
  readonly turns: KeptTurns;
  /** How the next request is protected. */
  readonly kind: Protection;
  /** The address of its service. */
  readonly here: string;
  /** In tokens. */
  readonly most: number;
}

/** Another service has it, or may have it, or it was protected better. */
export type ReasonToLeaveOut = 'elsewhere' | 'weaker';

export interface EarlierTurns {
  readonly messages: readonly ChatRequestMessage[];
  /** Why some stay behind. */
  readonly leftOut: ReadonlySet<ReasonToLeaveOut>;
}

/**
 * What was said to and by us, the newest that fits: nothing that another service has, and nothing that was protected
 * better than the next request is.
 */
export function earlierTurns({ history }: vscode.ChatContext, limits: Limits): EarlierTurns {
  const messages: ChatRequestMessage[] = [];
  const leftOut = new Set<ReasonToLeaveOut>();
  let left = limits.most;
  for (const [at, turn] of [...history.entries()].toReversed()) {
    if (turn.participant !== participantId) continue;
    const reason = reasonToLeaveOut(limits.turns.ofTurn(history, at), limits);
    if (reason !== undefined) {
      leftOut.add(reason);
      continue;
    }
    const isRequest = turn instanceof vscode.ChatRequestTurn;
    const text = clean(isRequest ? promptOfTurn(turn) : textOfTurn(turn));
    left -= estimateTokens(text);
    if (left < 0) break;
    if (text !== '') messages.unshift({ role: isRequest ? 'user' : 'assistant', content: text });
  }
  return { messages, leftOut };
}

function reasonToLeaveOut(
  { address, protection }: KeptTurn,
  { here, kind }: Limits,
): ReasonToLeaveOut | undefined {
  if (address !== undefined && address !== here) return 'elsewhere';
  return isWeaker(kind, protection) ? 'weaker' : undefined;
}

/** A command is told as what it asks for. */
export function promptOf({
  command,
  prompt,
}: Pick<vscode.ChatRequest, 'command' | 'prompt'>): string {
  const asked = slashCommands.find(({ name }) => name === command)?.prompt;
  if (asked === undefined) return prompt;
  return prompt.trim() === '' ? asked : `${asked}\n\n${prompt}`;
}

const promptOfTurn = ({ command, prompt }: vscode.ChatRequestTurn): string =>
  command === undefined ? prompt : `/${command} ${prompt}`.trim();

const textOfTurn = ({ response }: vscode.ChatResponseTurn): string =>
  response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');

const clean = (text: string): string => stripHiddenCharacters(text).text;
