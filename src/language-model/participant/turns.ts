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
export interface TurnProtection {
  readonly protection: Protection;
  /** Of the service that has it; undefined when none does. */
  readonly address?: string | undefined;
}

/** The address of a service that nobody knows. */
const unknownAddress = '';

type History = vscode.ChatContext['history'];
type Prompt = Pick<vscode.ChatRequest, 'prompt'> & { readonly command?: string | undefined };

const maxStoppedTurns = 100;
const protectionKinds: readonly Protection[] = ['open', 'none', 'attested', 'encrypted'];

/** What is kept of the turns of VS Code's chat with us: each answer has it in its metadata. */
export class TurnProtections {
  /** VS Code keeps no metadata of an answer that the person stopped. */
  readonly #stopped = new Map<string, TurnProtection>();

  /** Remembers in this window a turn that the person stopped. */
  recordStopped(prompt: Prompt, turn: TurnProtection): void {
    const key = promptKey(prompt);
    // Two chats with the same words cannot be told apart.
    this.#stopped.set(key, strictest(this.#stopped.get(key) ?? turn, turn));
    const [oldest] = this.#stopped.keys();
    if (this.#stopped.size > maxStoppedTurns && oldest !== undefined) this.#stopped.delete(oldest);
  }

  /** Of the prompt or the answer at this place of the history. What is not known counts as another service's secret. */
  find(history: History, at: number): TurnProtection {
    const turn = history[at];
    const [prompt, answer] =
      turn instanceof vscode.ChatRequestTurn ? [turn, history[at + 1]] : [history[at - 1], turn];
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
  /** How the next request is protected. */
  readonly protection: Protection;
  /** The address of its service. */
  readonly address: string;
  /** In tokens. */
  readonly maxTokens: number;
}

/** Another service has it, or may have it, or it was protected better. */
export type OmissionReason = 'elsewhere' | 'weaker';

export interface EarlierTurns {
  readonly messages: readonly ChatRequestMessage[];
  /** Why some stay behind. */
  readonly omitted: ReadonlySet<OmissionReason>;
}

/**
 * What was said to and by us, the newest that fits: nothing that another service has, and nothing that was protected
 * better than the next request is.
 */
export function collectEarlierTurns(
  { history }: vscode.ChatContext,
  limits: HistoryLimits,
): EarlierTurns {
  const messages: ChatRequestMessage[] = [];
  const omitted = new Set<OmissionReason>();
  let remaining = limits.maxTokens;
  for (const [at, turn] of [...history.entries()].toReversed()) {
    if (turn.participant !== participantId) continue;
    const reason = omissionReason(limits.turns.find(history, at), limits);
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

/** A command is told as what it asks for. */
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
