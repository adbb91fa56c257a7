import { isRecord } from '../../base/json.ts';

/** The model and endpoint of a request. */
export interface ModelUse {
  /** Model as in the request: an id, a trait or an alias, with or without suffix. Absent if the service chooses. */
  readonly model?: string;
  /** Path of the endpoint, such as `/chat/completions`. */
  readonly path: string;
}

/** Decides which models may be used. Every request that runs a model is checked here. */
export interface ModelGate {
  /**
   * Called before a request is sent, and again before each retry.
   * @throws ServiceError `private-only`
   */
  authorize(use: ModelUse, signal: AbortSignal): Promise<void>;
}

/** Paths of endpoints that run a model. */
const modelPaths = [
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

/** Returns the model use of a call; `undefined` if the call runs no model. */
export function modelUseOf(call: {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly model?: string;
}): ModelUse | undefined {
  const { method, path, body } = call;
  if (method === 'GET' || !modelPaths.some((start) => path.startsWith(start))) return undefined;
  const model = call.model ?? (isRecord(body) ? body['model'] : undefined);
  return typeof model === 'string' && model !== '' ? { model, path } : { path };
}
