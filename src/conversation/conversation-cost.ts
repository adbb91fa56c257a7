import type { Cost, Usage } from '../service/chat/chat-types.ts';
import type { Conversation } from './conversation.ts';

/** What one answer took. */
export interface AnswerCost {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly modelId: string;
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** What each answer of every branch took, of those that tell. */
export function answerCosts(conversation: Conversation): readonly AnswerCost[] {
  return [...conversation.messages].flatMap((message) => {
    if (message.role === 'user') return [];
    const { usage, cost } = message.result;
    if (usage === undefined && cost === undefined) return [];
    return [
      {
        at: message.createdAt,
        modelId: message.model.id,
        ...(usage !== undefined && { usage }),
        ...(cost !== undefined && { cost }),
      },
    ];
  });
}
