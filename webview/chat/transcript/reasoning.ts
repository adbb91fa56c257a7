import * as l10n from '@vscode/l10n';
import type { MessageView } from '../../../src/chat/protocol/view-state.ts';
import { formatDuration } from '../../base/format.ts';

/** Whether the model reasons now. */
export const isThinking = ({ status, reasoningMs }: MessageView): boolean =>
  status === 'streaming' && reasoningMs === null;

/** `Thought for 6 s`: the line above an answer that opens what the model thought. */
export function reasoningLabel(message: MessageView): string {
  const { reasoningMs } = message;
  if (isThinking(message)) return l10n.t('Thinking');
  if (reasoningMs === null) return l10n.t('Thought');
  return reasoningMs < 950
    ? l10n.t('Thought for a moment')
    : l10n.t('Thought for {0}', formatDuration(reasoningMs));
}
