import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { isRecord, readStringOr } from '../../base/json.ts';
import { estimateTokens } from '../../base/token-estimate.ts';
import { slashCommands } from '../../conversation/slash-commands.ts';
import type { ChatRequestMessage } from '../../service/chat/chat-types.ts';
import { type ChatGuard, isWeaker } from '../../service/chat/protection.ts';

/** Id of the participant in VS Code's chat history. */
export const participantId = 'inferenceService.inference';

export type Protection = ChatGuard['kind'];

/** Protection of a turn, such as encryption, with the service that received the turn. */
export interface TurnProtection {
  readonly protection: Protection;
  /** Base URL of the service that received the turn; undefined if no service received it. */
  readonly address?: string | undefined;
}

/** Base URL that stands for an unknown service. */
const unknownBaseUrl = '';

type History = vscode.ChatContext['history'];
type Prompt = Pick<vscode.ChatRequest, 'prompt'> & { readonly command?: string | undefined };

const maxStoppedTurns = 100;
const protectionKinds: readonly Protection[] = ['open', 'none', 'attested', 'encrypted'];

/**
 * Finds out how turns of the participant were protected, such as by encryption. Reads this from the metadata of their
 * answers.
 */
export class TurnProtections {
  /**
   * Protection of the turns that the user stopped, by the slash command and the text of the prompt. VS Code stores no
   * metadata for these turns.
   */
  readonly #stoppedTurns = new Map<string, TurnProtection>();

  /** Records the protection of a stopped turn in memory. Removes the oldest record if there are too many. */
  recordStoppedTurn(prompt: Prompt, turn: TurnProtection): void {
    const key = createPromptKey(prompt);
    // Turns with the same prompt cannot be distinguished, so the stricter protection applies.
    this.#stoppedTurns.set(
      key,
      selectStricterProtection(this.#stoppedTurns.get(key) ?? turn, turn),
    );
    const [oldestKey] = this.#stoppedTurns.keys();
    if (this.#stoppedTurns.size > maxStoppedTurns && oldestKey !== undefined)
      this.#stoppedTurns.delete(oldestKey);
  }

  /**
   * Returns the protection of the prompt or answer at the 0-based position `index` of the history. If nothing is
   * recorded for a turn, it counts as encrypted and sent to an unknown service.
   */
  findProtection(history: History, index: number): TurnProtection {
    const turn = history[index];
    const [prompt, answer] =
      turn instanceof vscode.ChatRequestTurn
        ? [turn, history[index + 1]]
        : [history[index - 1], turn];
    const stoppedProtection = isPrompt(prompt)
      ? this.#stoppedTurns.get(createPromptKey(prompt))
      : undefined;
    const recordedProtection = isAnswer(answer) ? readProtection(answer) : undefined;
    return (
      recordedProtection ??
      stoppedProtection ?? { protection: 'encrypted', address: unknownBaseUrl }
    );
  }
}

function selectStricterProtection(a: TurnProtection, b: TurnProtection): TurnProtection {
  const { protection } = isWeaker(a.protection, b.protection) ? b : a;
  return { protection, address: a.address === b.address ? a.address : unknownBaseUrl };
}

const isPrompt = (turn: History[number] | undefined): turn is vscode.ChatRequestTurn =>
  turn instanceof vscode.ChatRequestTurn && turn.participant === participantId;

const isAnswer = (turn: History[number] | undefined): turn is vscode.ChatResponseTurn =>
  turn instanceof vscode.ChatResponseTurn && turn.participant === participantId;

function readProtection({ result }: vscode.ChatResponseTurn): TurnProtection | undefined {
  const metadata: unknown = result.metadata;
  if (!isRecord(metadata)) return undefined;
  const protection = protectionKinds.find((kind) => kind === metadata['protection']);
  return protection && { protection, address: readStringOr(metadata['address'], undefined) };
}

const createPromptKey = ({ command = '', prompt }: Prompt): string => `${command} ${prompt}`;

interface HistoryLimits {
  readonly turnProtections: TurnProtections;
  /** Protection of the next request, such as encryption. */
  readonly protection: Protection;
  /** Base URL of the service that receives the next request. */
  readonly baseUrl: string;
  /** Maximum size of the history in tokens. */
  readonly maxTokens: number;
}

/**
 * Reason to omit a turn. `elsewhere`: a service other than that of the next request may have received the turn.
 * `weaker`: the next request has weaker protection than the turn.
 */
export type OmissionReason = 'elsewhere' | 'weaker';

export interface EarlierTurns {
  readonly messages: readonly ChatRequestMessage[];
  /** Reasons for which turns were omitted. Empty if no turn was omitted because of its service or protection. */
  readonly omissionReasons: ReadonlySet<OmissionReason>;
}

/**
 * Collects the newest turns that fit into the token limit. Omits turns that another service may have received, and
 * turns with stronger protection than the next request, such as encrypted turns before an unencrypted request.
 */
export function collectEarlierTurns(
  { history }: vscode.ChatContext,
  limits: HistoryLimits,
): EarlierTurns {
  const messages: ChatRequestMessage[] = [];
  const omissionReasons = new Set<OmissionReason>();
  let remainingTokens = limits.maxTokens;
  for (const [index, turn] of [...history.entries()].toReversed()) {
    if (turn.participant !== participantId) continue;
    const reason = findOmissionReason(
      limits.turnProtections.findProtection(history, index),
      limits,
    );
    if (reason !== undefined) {
      omissionReasons.add(reason);
      continue;
    }
    const isRequest = turn instanceof vscode.ChatRequestTurn;
    const text = toVisibleText(isRequest ? getRequestText(turn) : getResponseText(turn));
    remainingTokens -= estimateTokens(text);
    if (remainingTokens < 0) break;
    if (text !== '') messages.unshift({ role: isRequest ? 'user' : 'assistant', content: text });
  }
  return { messages, omissionReasons };
}

function findOmissionReason(
  { address, protection }: TurnProtection,
  limits: HistoryLimits,
): OmissionReason | undefined {
  if (address !== undefined && address !== limits.baseUrl) return 'elsewhere';
  return isWeaker(limits.protection, protection) ? 'weaker' : undefined;
}

/** Returns the prompt's text. A slash command is replaced with the instruction of the command. */
export function expandSlashCommand({
  command,
  prompt,
}: Pick<vscode.ChatRequest, 'command' | 'prompt'>): string {
  const instruction = slashCommands.find(({ name }) => name === command)?.prompt;
  if (instruction === undefined) return prompt;
  return prompt.trim() === '' ? instruction : `${instruction}\n\n${prompt}`;
}

const getRequestText = ({ command, prompt }: vscode.ChatRequestTurn): string =>
  command === undefined ? prompt : `/${command} ${prompt}`.trim();

const getResponseText = ({ response }: vscode.ChatResponseTurn): string =>
  response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');

const toVisibleText = (text: string): string => stripHiddenCharacters(text).text;
