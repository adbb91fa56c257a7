import * as vscode from 'vscode';
import { stripHiddenCharacters } from '../../../base/hidden-characters.ts';
import { estimateTokens } from '../../../base/token-estimate.ts';
import { slashCommands } from '../../../chat/slash-commands.ts';
import type { ChatRequestMessage } from '../../../service/chat-types.ts';
import { isWeaker } from '../../../service/protection.ts';
import { participantId } from './persona.ts';
import type { Protection, TurnProtections } from './turn-protections.ts';

interface Limits {
  readonly protections: TurnProtections;
  /** How the next request is protected. */
  readonly kind: Protection;
  /** In tokens. */
  readonly most: number;
}

export interface EarlierTurns {
  readonly messages: readonly ChatRequestMessage[];
  /** Whether some stay behind since they were protected better. */
  readonly leftOut: boolean;
}

/** What was said to and by us, the newest that fits, and nothing that was protected better than the next request is. */
export function earlierTurns(
  { history }: vscode.ChatContext,
  { protections, kind, most }: Limits,
): EarlierTurns {
  const messages: ChatRequestMessage[] = [];
  let leftOut = false;
  let left = most;
  for (const [at, turn] of [...history.entries()].toReversed()) {
    if (turn.participant !== participantId) continue;
    if (isWeaker(kind, protections.ofTurn(history, at))) {
      leftOut = true;
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
