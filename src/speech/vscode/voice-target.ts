import type { Conversation } from '../../conversation/conversation.ts';
import type { Host } from '../../host.ts';
import type { SpokenText } from './speech-consent.ts';

/** The chat that speech is read from and written into. */
export interface VoiceTarget {
  readonly chat: { readonly session: { readonly conversation: Conversation } };
  readAloud(spoken: SpokenText): Promise<void>;
  /** Writes at the caret of the composer. */
  type(text: string): void;
  focusComposer(): void;
  /** A sentence for the user, shown for a moment above the composer. */
  notice(text: string): void;
}

/** What commands about voices work with. */
export interface VoiceContext {
  readonly host: Host;
  /** The chat in sight, opened when none is. */
  readonly openChat: () => Promise<VoiceTarget>;
}
