import type { ServiceFailure } from '../http/failure.ts';

/** Protection of an answer. Absent if its model offers none. */
export type AnswerProtection =
  /** The model offers a protection, but the user chose to send the request without it. */
  | { readonly kind: 'none' }
  /** The model ran in an enclave with a verified attestation. The content was readable on the way to the enclave. */
  | ({ readonly kind: 'attested' } & AttestationSummary)
  /** Only the enclave could read the request, and only this extension the answer. */
  | ({
      readonly kind: 'encrypted';
      /** Features that were omitted because encryption does not support them. */
      readonly leftOut: readonly OmittedFeature[];
    } & AttestationSummary);

/** The attestation that an answer relies on. */
export interface AttestationSummary {
  /** Time of verification in milliseconds since the Unix epoch. */
  readonly checkedAt: number;
  /** Uncompressed public key of the enclave in hexadecimal. Absent if the enclave has none. */
  readonly publicKey?: string;
}

export type OmittedFeature = 'tools' | 'web-search' | 'pictures' | 'files' | 'format' | 'persona';

/**
 * Protection to apply to a chat. `open`: no protection applies. `none`: the user chose to send without
 * protection.
 */
export type ChatGuard =
  | { readonly kind: 'open' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'attested' } & AttestationSummary)
  | ({ readonly kind: 'encrypted' } & AttestationSummary & { readonly publicKey: string });

/** A chat to be sent. */
export interface GuardedChat {
  readonly model: string;
  readonly isBackground: boolean;
  /** True if the user agreed to send without protection although the model once offered it. Prevents another prompt. */
  readonly acceptsUnprotected?: boolean;
  /** Minimum protection, that of the conversation so far. The request fails if the model now offers less. */
  readonly minProtection?: 'attested' | 'encrypted';
}

/** Protection terms that the user accepted. */
export type ProtectionTerms = Pick<GuardedChat, 'acceptsUnprotected' | 'minProtection'>;

/** Decides how chats are protected. Every chat request is checked here. */
export interface ChatProtection {
  /**
   * Called before a request is sent. Waits for the attestation of the model's enclave, and prompts the user if it is
   * invalid. Background requests are rejected in that case.
   * @throws ServiceError `protection-failed`, `stopped`
   */
  guard(chat: GuardedChat, signal: AbortSignal): Promise<ChatGuard>;
  /** Reports an answer with broken protection. Discards the cached attestation of the model. */
  reportBroken(model: string, failure: ServiceFailure): void;
}

/** Returns the weaker of two protections, for an answer that took several requests. */
export function weakerProtection(
  a: AnswerProtection | undefined,
  b: AnswerProtection | undefined,
): AnswerProtection | undefined {
  return strengths[a?.kind ?? 'open'] <= strengths[b?.kind ?? 'open'] ? a : b;
}

/** Checks whether `kind` protects a chat less than `other`. */
export const isWeaker = (kind: ChatGuard['kind'], other: ChatGuard['kind']): boolean =>
  strengths[kind] < strengths[other];

const strengths = { open: 0, none: 0, attested: 1, encrypted: 2 } as const;
