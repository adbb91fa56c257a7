import * as l10n from '@vscode/l10n';
import { chatBody } from '../chat/chat-chunk.ts';
import type { ChatEvent, ChatRequest } from '../chat/chat-types.ts';
import type { ServiceContext } from '../http/client.ts';
import { ServiceError, type ServiceFailure } from '../http/failure.ts';
import type { ChatGuard } from '../chat/protection.ts';
import { type StreamCall, streamCall, type StreamOptions } from '../chat/stream-chat.ts';
import { fromHex, toHex } from './bytes.ts';
import { encryptable, type PlainRequest } from './encryptable.ts';
import { EncryptedAnswer } from './encrypted-answer.ts';
import { createKeyPair, type KeyPair, type RandomBytes, seal } from './sealed-text.ts';

export interface EncryptedOptions extends StreamOptions {
  readonly guard: Extract<ChatGuard, { kind: 'encrypted' }>;
  readonly randomBytes: RandomBytes;
}

/**
 * Streams the answer to a chat that is encrypted end to end: every message to the enclave's key, every piece of the answer
 * to a key of this request alone. Three headers tell of them: `x-<vendor word>-tee-client-pub-key`, `-tee-model-pub-key`
 * and `-tee-signing-algo`. Never throws; whatever comes back that was not encrypted as promised ends it with
 * `protection-failed`, and what came before stays as it was. What this does not show: that the enclave itself wrote the
 * answer, in this order, since everybody who sees the request can encrypt to its key.
 */
export async function* streamEncryptedChat(
  context: ServiceContext,
  request: ChatRequest,
  options: EncryptedOptions,
): AsyncGenerator<readonly ChatEvent[]> {
  const { guard, randomBytes } = options;
  const { request: plain, leftOut } = encryptable(request);
  const pair = createKeyPair(randomBytes);
  const call = await sealedCall(plain, { guard, pair, randomBytes }).catch(notSealed);
  if (call instanceof ServiceError) {
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure: call.failure } }];
    return;
  }
  const { checkedAt, publicKey } = guard;
  const answer = new EncryptedAnswer(pair.privateKey, {
    kind: 'encrypted',
    checkedAt,
    publicKey,
    leftOut,
  });
  for await (const batch of streamCall(context, call, options)) {
    const events = await answer.read(batch);
    if (events.length > 0) yield events;
    if (answer.isOver) return;
  }
}

interface Sealing {
  readonly guard: EncryptedOptions['guard'];
  readonly pair: KeyPair;
  readonly randomBytes: RandomBytes;
}

/** @throws Error when the enclave's key cannot be encrypted to */
async function sealedCall(
  plain: PlainRequest,
  { guard, pair, randomBytes }: Sealing,
): Promise<StreamCall> {
  const recipient = fromHex(guard.publicKey) ?? new Uint8Array();
  const messages = await Promise.all(
    plain.messages.map(async (message) => ({
      ...message,
      content: await seal(message.content, recipient, randomBytes),
    })),
  );
  const sealed: ChatRequest = { ...plain, messages };
  return {
    kind: 'chat',
    // By its own texts: ciphertext is several times as long.
    request: plain,
    path: '/chat/completions',
    body: (vendorWord) => chatBody(sealed, vendorWord, true),
    headers: (vendorWord) => ({
      [`x-${vendorWord}-tee-client-pub-key`]: toHex(pair.publicKey),
      [`x-${vendorWord}-tee-model-pub-key`]: guard.publicKey,
      [`x-${vendorWord}-tee-signing-algo`]: 'ecdsa',
    }),
  };
}

const notSealed = (): ServiceError => new ServiceError(cannotEncrypt());

const cannotEncrypt = (): ServiceFailure => ({
  code: 'protection-failed',
  message: l10n.t(
    'Nothing was sent: the messages could not be encrypted to the key of the model’s enclave. Retry, or choose another model.',
  ),
});
