import type * as vscode from 'vscode';
import { isRecord } from '../../base/json.ts';
import type { ConversationRecord } from '../../conversation/conversation.ts';

/** Where the options that were chosen last are kept. */
export const startingOptionsKey = 'chat.options';

/**
 * What a new conversation begins with: the options that were chosen last, in any window. A search with every message
 * costs, and is chosen for one conversation only.
 */
export function startingOptions(state: Pick<vscode.Memento, 'get'>): ConversationRecord[] {
  const kept = state.get<unknown>(startingOptionsKey);
  if (!isRecord(kept)) return [];
  const { webSearch, ...others } = kept;
  const options = webSearch === undefined || webSearch === 'on' ? others : kept;
  return Object.keys(options).length > 0 ? [{ type: 'options-set', options }] : [];
}
