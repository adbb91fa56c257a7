import type { MessageView } from '../../src/protocol/view-state.ts';
import { formatDuration } from './format.ts';

/** Whether the model reasons now. */
export const isThinking = ({ status, reasoningMs }: MessageView): boolean =>
  status === 'streaming' && reasoningMs === null;

/** `Thought for 6 s`: the line above an answer that opens what the model thought. */
export function reasoningLabel(message: MessageView): string {
  const { reasoningMs } = message;
  if (isThinking(message)) return 'Thinking';
  if (reasoningMs === null) return 'Thought';
  return reasoningMs < 950 ? 'Thought for a moment' : `Thought for ${formatDuration(reasoningMs)}`;
}
