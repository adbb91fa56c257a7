import type { Cost, Usage } from './chat-types.ts';

/** A request that costs something. */
export interface PaidRequest {
  readonly kind: 'chat' | 'completion' | 'image' | 'web' | 'speech' | 'transcription';
  /** The model it names; absent where the service chooses. */
  readonly model?: string;
  /** By the model's prices, where that is known before. */
  readonly price?: Cost;
  /** Made without a person's doing: nobody is asked about it. */
  readonly isBackground: boolean;
}

/** What a reply came to, as far as it said so. */
export interface Bill {
  readonly usage?: Usage;
  readonly cost?: Cost;
}

/** Watches over what is spent. Every request that costs something passes here, whoever makes it. */
export interface Spending {
  /**
   * Before anything is sent. Waits for the person where they are to be asked.
   * @throws ServiceError `over-budget`, `stopped`
   */
  admit(request: PaidRequest, signal: AbortSignal): Promise<void>;
  /** After a reply, once. Returns at once and never throws. */
  spent(request: PaidRequest, bill: Bill): void;
  /** Once a request with a price is over, whatever came of it: until then its price counts as spent. Never throws. */
  ended(request: PaidRequest): void;
}

/** What an answer used that was cut off before it said so: too little told is worse than roughly told. */
export const roughUsage = (sent: unknown, receivedBytes: number): Usage => {
  const promptTokens = Math.ceil(textLength(sent) / charactersPerToken);
  const completionTokens = Math.ceil(receivedBytes / bytesPerToken);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
};

const charactersPerToken = 4;
/** An event of a stream carries about one token, in JSON. */
const bytesPerToken = 200;
/** A picture counts about as many tokens as so much text, however many bytes it has. */
const pictureLength = 4_000;

/** Of all texts in a body. Bodies are ours, and a few levels deep. */
function textLength(value: unknown): number {
  if (typeof value === 'string') {
    return value.startsWith('data:') ? Math.min(value.length, pictureLength) : value.length;
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + textLength(each), 0);
}
