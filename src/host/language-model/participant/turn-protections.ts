import * as vscode from 'vscode';
import { isRecord } from '../../../base/json.ts';
import { type ChatGuard, isWeaker } from '../../../service/protection.ts';
import { participantId } from './persona.ts';

export type Protection = ChatGuard['kind'];

type History = vscode.ChatContext['history'];
type Prompt = Pick<vscode.ChatRequest, 'prompt'> & { readonly command?: string | undefined };

const mostStopped = 100;
const kinds: readonly Protection[] = ['open', 'none', 'attested', 'encrypted'];

/** How the turns of VS Code's chat with us were protected: each answer has it in its metadata. */
export class TurnProtections {
  /** VS Code keeps no metadata of an answer that the person stopped. */
  readonly #stopped = new Map<string, Protection>();

  /** Remembers in this window how a turn was protected that the person stopped. */
  stopped(prompt: Prompt, kind: Protection): void {
    const key = keyOf(prompt);
    const before = this.#stopped.get(key) ?? kind;
    // Two chats with the same words cannot be told apart.
    this.#stopped.set(key, isWeaker(kind, before) ? before : kind);
    const [oldest] = this.#stopped.keys();
    if (this.#stopped.size > mostStopped && oldest !== undefined) this.#stopped.delete(oldest);
  }

  /** Of the prompt or the answer at this place of the history. What is not known counts as encrypted. */
  ofTurn(history: History, at: number): Protection {
    const turn = history[at];
    const [prompt, answer] =
      turn instanceof vscode.ChatRequestTurn ? [turn, history[at + 1]] : [history[at - 1], turn];
    const stopped = isPrompt(prompt) ? this.#stopped.get(keyOf(prompt)) : undefined;
    const kept = isAnswer(answer) ? keptIn(answer) : undefined;
    return kept ?? stopped ?? 'encrypted';
  }
}

const isPrompt = (turn: History[number] | undefined): turn is vscode.ChatRequestTurn =>
  turn instanceof vscode.ChatRequestTurn && turn.participant === participantId;

const isAnswer = (turn: History[number] | undefined): turn is vscode.ChatResponseTurn =>
  turn instanceof vscode.ChatResponseTurn && turn.participant === participantId;

function keptIn({ result }: vscode.ChatResponseTurn): Protection | undefined {
  const metadata: unknown = result.metadata;
  return isRecord(metadata) ? kinds.find((kind) => kind === metadata['protection']) : undefined;
}

const keyOf = ({ command = '', prompt }: Prompt): string => `${command} ${prompt}`;
