import type { ServiceFailure } from '../http/failure.ts';

/**
 * Protection of an answer by the trusted enclave in which the model runs. Properties of this type are absent if the
 * model offers no protection.
 */
export type AnswerProtection =
  /** The model offers protection, but the user agreed to send the request without protection. */
  | { readonly kind: 'none' }
  /**
   * The model runs in an enclave with a verified attestation. Messages are not encrypted for the enclave, so servers
   * between the extension and the enclave can read them.
   */
  | ({ readonly kind: 'attested' } & AttestationSummary)
  /** Messages are end-to-end encrypted: only the enclave can read the request, and only the extension the answer. */
  | ({
      readonly kind: 'encrypted';
      /** Features removed from the request because encryption does not support them. */
      readonly leftOut: readonly OmittedFeature[];
    } & AttestationSummary);

/** Identifies the attestation of the enclave that generated an answer. */
export interface AttestationSummary {
  /** Time of the verification in milliseconds since the Unix epoch. */
  readonly checkedAt: number;
  /** Uncompressed public key of the enclave in hexadecimal. Absent if the enclave has none. */
  readonly publicKey?: string;
}

export type OmittedFeature =
  | 'tools'
  | 'web-search'
  | 'pictures'
  | 'files'
  | 'format'
  | 'persona'
  | 'options';

/**
 * Protection that a chat request requires from the model's enclave. `open`: the model offers no protection. `none`: the
 * model offers protection, but the user agreed to send the request without it.
 */
export type ChatGuard =
  | { readonly kind: 'open' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'attested' } & AttestationSummary)
  | ({ readonly kind: 'encrypted' } & AttestationSummary & { readonly publicKey: string });

/** Properties of a chat request that determine with which protection it is sent. */
export interface GuardedChat {
  readonly model: string;
  readonly isBackground: boolean;
  /** True if the user has already agreed to send without protection. The user is then not asked again. */
  readonly acceptsUnprotected?: boolean;
  /**
   * Weakest protection that the request may have, derived from earlier answers of the conversation. The request fails
   * if the model now offers less.
   */
  readonly minProtection?: 'attested' | 'encrypted';
}

/** Weakest protection that a chat may have, and the user's agreement to send without protection. */
export type ProtectionTerms = Pick<GuardedChat, 'acceptsUnprotected' | 'minProtection'>;

/**
 * Decides how each chat request is protected: by end-to-end encryption, only by an attested (verified) enclave, or not
 * at all.
 */
export interface ChatProtection {
  /**
   * Returns the protection with which to send a chat request. Waits for the attestation of the model's enclave. If the
   * attestation is invalid, asks the user to continue without protection; a background request fails instead.
   * @throws ServiceError `protection-failed` if the protection is not sufficient; `stopped` if `signal` aborts
   */
  guard(chat: GuardedChat, signal: AbortSignal): Promise<ChatGuard>;
  /** Handles an answer that could not be verified or decrypted: discards the cached attestation of the model. */
  reportProtectionFailure(model: string, failure: ServiceFailure): void;
}

/**
 * Returns the weaker of two protections. Used for an answer that consists of several responses, each with its own
 * protection.
 */
export function getWeakerProtection(
  a: AnswerProtection | undefined,
  b: AnswerProtection | undefined,
): AnswerProtection | undefined {
  return protectionStrengths[a?.kind ?? 'open'] <= protectionStrengths[b?.kind ?? 'open'] ? a : b;
}

/** Checks whether protection `kind` is weaker than `otherKind`. */
export const isWeaker = (kind: ChatGuard['kind'], otherKind: ChatGuard['kind']): boolean =>
  protectionStrengths[kind] < protectionStrengths[otherKind];

const protectionStrengths = { open: 0, none: 0, attested: 1, encrypted: 2 } as const;
