import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { isRecord, stringOr } from '../../base/json.ts';
import { estimateTokens } from '../../base/token-estimate.ts';
import { slashCommands } from '../../conversation/slash-commands.ts';
import type { ChatRequestMessage } from '../../service/chat/chat-types.ts';
import { type ChatGuard, isWeaker } from '../../service/chat/protection.ts';

/** Participant id in VS Code's chat history. */
export const participantId = 'inferenceService.inference';

export type Protection = ChatGuard['kind'];

/** Protection of a turn, and the service that received it. */
export interface TurnProtection {
  readonly protection: Protection;
  /** Address of the service that received the turn. Undefined if none did. */
  readonly address?: string | undefined;
}

/** Address of an unknown service. */
const unknownAddress = '';

type History = vscode.ChatContext['history'];
type Prompt = Pick<vscode.ChatRequest, 'prompt'> & { readonly command?: string | undefined };

const maxStoppedTurns = 100;
const protectionKinds: readonly Protection[] = ['open', 'none', 'attested', 'encrypted'];

/** Protection of the participant's turns, from each answer's metadata. */
export class TurnProtections {
  /** Turns that the user stopped. VS Code stores no metadata for them. */
  readonly #stopped = new Map<string, TurnProtection>();

  /** Records a stopped turn for the lifetime of this window. */
  recordStopped(prompt: Prompt, turn: TurnProtection): void {
    const key = promptKey(prompt);
    // Chats with the same prompt are indistinguishable, so the stricter protection applies.
    this.#stopped.set(key, strictest(this.#stopped.get(key) ?? turn, turn));
    const [oldest] = this.#stopped.keys();
    if (this.#stopped.size > maxStoppedTurns && oldest !== undefined) this.#stopped.delete(oldest);
  }

  /**
   * Returns the protection of the prompt or answer at this index of the history. Treats an unknown
   * turn as encrypted and sent to another service.
   */
  find(history: History, index: number): TurnProtection {
    const turn = history[index];
    const [prompt, answer] =
      turn instanceof vscode.ChatRequestTurn
        ? [turn, history[index + 1]]
        : [history[index - 1], turn];
    const stopped = isPrompt(prompt) ? this.#stopped.get(promptKey(prompt)) : undefined;
    const recorded = isAnswer(answer) ? readMetadata(answer) : undefined;
    return recorded ?? stopped ?? { protection: 'encrypted', address: unknownAddress };
  }
}

function strictest(a: TurnProtection, b: TurnProtection): TurnProtection {
  const { protection } = isWeaker(a.protection, b.protection) ? b : a;
  return { protection, address: a.address === b.address ? a.address : unknownAddress };
}

const isPrompt = (turn: History[number] | undefined): turn is vscode.ChatRequestTurn =>
  turn instanceof vscode.ChatRequestTurn && turn.participant === participantId;

const isAnswer = (turn: History[number] | undefined): turn is vscode.ChatResponseTurn =>
  turn instanceof vscode.ChatResponseTurn && turn.participant === participantId;

function readMetadata({ result }: vscode.ChatResponseTurn): TurnProtection | undefined {
  const metadata: unknown = result.metadata;
  if (!isRecord(metadata)) return undefined;
  const protection = protectionKinds.find((kind) => kind === metadata['protection']);
  return protection && { protection, address: stringOr(metadata['address'], undefined) };
}

const promptKey = ({ command = '', prompt }: Prompt): string => `${command} ${prompt}`;

interface HistoryLimits {
  readonly turns: TurnProtections;
  /** Protection of the next request. */
  readonly protection: Protection;
  /** Address of the service that receives the next request. */
  readonly address: string;
  /** Token limit of the history. */
  readonly maxTokens: number;
}

/** Reason to omit a turn: another service received it or may have, or it was protected better. */
export type OmissionReason = 'elsewhere' | 'weaker';

export interface EarlierTurns {
  readonly messages: readonly ChatRequestMessage[];
  /** Reasons why turns were omitted. */
  readonly omitted: ReadonlySet<OmissionReason>;
}

/**
 * Collects the newest turns that fit. Omits turns that another service received and turns that were
 * protected better than the next request.
 */
export function collectEarlierTurns(
  { history }: vscode.ChatContext,
  limits: HistoryLimits,
): EarlierTurns {
  const messages: ChatRequestMessage[] = [];
  const omitted = new Set<OmissionReason>();
  let remaining = limits.maxTokens;
  for (const [index, turn] of [...history.entries()].toReversed()) {
    if (turn.participant !== participantId) continue;
    const reason = omissionReason(limits.turns.find(history, index), limits);
    if (reason !== undefined) {
      omitted.add(reason);
      continue;
    }
    const isRequest = turn instanceof vscode.ChatRequestTurn;
    const text = visibleText(isRequest ? requestText(turn) : responseText(turn));
    remaining -= estimateTokens(text);
    if (remaining < 0) break;
    if (text !== '') messages.unshift({ role: isRequest ? 'user' : 'assistant', content: text });
  }
  return { messages, omitted };
}

function omissionReason(
  { address, protection }: TurnProtection,
  limits: HistoryLimits,
): OmissionReason | undefined {
  if (address !== undefined && address !== limits.address) return 'elsewhere';
  return isWeaker(limits.protection, protection) ? 'weaker' : undefined;
}

/** Replaces a command with its instruction. */
export function expandPrompt({
  command,
  prompt,
}: Pick<vscode.ChatRequest, 'command' | 'prompt'>): string {
  const instruction = slashCommands.find(({ name }) => name === command)?.prompt;
  if (instruction === undefined) return prompt;
  return prompt.trim() === '' ? instruction : `${instruction}\n\n${prompt}`;
}

const requestText = ({ command, prompt }: vscode.ChatRequestTurn): string =>
  command === undefined ? prompt : `/${command} ${prompt}`.trim();

const responseText = ({ response }: vscode.ChatResponseTurn): string =>
  response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');

const visibleText = (text: string): string => stripHiddenCharacters(text).text;
