import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { estimateTokens } from '../../base/token-estimate.ts';
import { slashCommands } from '../../conversation/slash-commands.ts';
import type { ChatRequestMessage } from '../../service/chat/chat-types.ts';
import { isWeaker } from '../../service/chat/protection.ts';
import type { KeptTurn, KeptTurns, Protection } from './kept-turns.ts';
import { participantId } from './participant-id.ts';

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
