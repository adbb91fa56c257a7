import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import type { ConversationRecord } from '../../chat/conversation.ts';

/** Where the options that were chosen last are kept. */
export const startingOptionsKey = 'chat.options';

/** What a new conversation begins with: the options that were chosen last, in any window. */
export function startingOptions(state: vscode.Memento): ConversationRecord[] {
  const options = state.get<unknown>(startingOptionsKey);
  const isChosen = isRecord(options) && Object.keys(options).length > 0;
  return isChosen ? [{ type: 'options-set', options }] : [];
}
