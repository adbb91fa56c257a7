import { isRecord } from '../../base/json.ts';

/** What a request is about to use. */
export interface ModelUse {
  /** As the request names it: an id, a trait, an alias, with a suffix or without; absent where the service chooses. */
  readonly model?: string;
  /** Of the endpoint, such as `/chat/completions`. */
  readonly path: string;
}

/** Decides which models may be used. Every request that runs a model passes here, whoever makes it. */
export interface ModelGate {
  /**
   * Before anything is sent, for each try anew.
   * @throws ServiceError `private-only`
   */
  admit(use: ModelUse, signal: AbortSignal): Promise<void>;
}

/** Below these, a model works on what is sent. */
const running = [
  '/chat/',
  '/completions',
  '/responses',
  '/embeddings',
  '/image/',
  '/images/',
  '/audio/',
  '/video/',
  '/augment/',
] as const;

/** What a call uses; undefined for a call that runs no model. */
export function modelUseOf(call: {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly model?: string;
}): ModelUse | undefined {
  const { method, path, body } = call;
  if (method === 'GET' || !running.some((start) => path.startsWith(start))) return undefined;
  const model = call.model ?? (isRecord(body) ? body['model'] : undefined);
  return typeof model === 'string' && model !== '' ? { model, path } : { path };
}
