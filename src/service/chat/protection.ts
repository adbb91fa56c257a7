import type { ServiceFailure } from '../http/failure.ts';

/** What protected an answer. Absent where its model offers nothing. */
export type AnswerProtection =
  /** The model offers some, but the person had it sent without. */
  | { readonly kind: 'none' }
  /** The model ran in an enclave whose attestation was checked; what was said was readable on the way there. */
  | ({ readonly kind: 'attested' } & Attested)
  /** Only the enclave could read what was sent, and only this extension what came back. */
  | ({
      readonly kind: 'encrypted';
      /** What the request did without, since it does not go with encryption. */
      readonly leftOut: readonly LeftOut[];
    } & Attested);

/** Which attestation an answer rests on. */
export interface Attested {
  /** When it was checked, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** The enclave's, uncompressed, in hexadecimal; absent where it told none. */
  readonly publicKey?: string;
}

export type LeftOut = 'tools' | 'web-search' | 'pictures' | 'files' | 'format' | 'persona';

/** How a chat is to be protected. */
export type ChatGuard =
  | { readonly kind: 'open' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'attested' } & Attested)
  | ({ readonly kind: 'encrypted' } & Attested & { readonly publicKey: string });

/** A chat that is about to be sent. */
export interface GuardedChat {
  readonly model: string;
  readonly isBackground: boolean;
  /** The person agreed that it goes in the open, where its model once offered more: they are not asked again. */
  readonly isOpenAgreed?: boolean;
  /** What may protect it at least, as what it goes on from was: it fails where its model offers less by now. */
  readonly least?: 'attested' | 'encrypted';
}

/** What a chat may be sent with, by what the person agreed to. */
export type ChatTerms = Pick<GuardedChat, 'isOpenAgreed' | 'least'>;

/** Knows how chats with a model are protected. Every chat passes here, whoever makes it. */
export interface ChatProtection {
  /**
   * Before anything is sent. Waits for the attestation of the model's enclave, and for the person where it is not what
   * it should be; those that no person began are refused then.
   * @throws ServiceError `protection-failed`, `stopped`
   */
  guard(chat: GuardedChat, signal: AbortSignal): Promise<ChatGuard>;
  /** An answer of the model was not protected as it should be: what was known of its enclave no longer counts. */
  broken(model: string, failure: ServiceFailure): void;
}

/** The weaker of two, for an answer that took several requests. */
export function weaker(
  a: AnswerProtection | undefined,
  b: AnswerProtection | undefined,
): AnswerProtection | undefined {
  return strengths[a?.kind ?? 'open'] <= strengths[b?.kind ?? 'open'] ? a : b;
}

/** Whether one way to protect a chat leaves more of it open than another. */
export const isWeaker = (kind: ChatGuard['kind'], other: ChatGuard['kind']): boolean =>
  strengths[kind] < strengths[other];

const strengths = { open: 0, none: 0, attested: 1, encrypted: 2 } as const;
