import { isRecord } from '../../base/json.ts';

/** Model and endpoint of a request. */
export interface ModelUse {
  /**
   * Name of the model in the request: an id, a trait such as `default_code`, or an alias, with or without a suffix such
   * as `:web`. Absent if the service selects the model.
   */
  readonly model?: string;
  /** Path of the endpoint, such as `/chat/completions`. */
  readonly path: string;
}

/** Decides which models requests may use. Every request that runs a model is checked. */
export interface ModelGate {
  /**
   * Authorizes a request before it is sent, and again before each retry.
   * @throws ServiceError `private-only` if only private models may be used, and the model is not known to be private
   */
  authorize(use: ModelUse, signal: AbortSignal): Promise<void>;
}

/** Path prefixes of the endpoints that run a model. */
const modelPaths = [
  '/chat/',
  '/completions',
  '/infill',
  '/responses',
  '/embeddings',
  '/image/',
  '/images/',
  '/audio/',
  '/video/',
  '/augment/',
] as const;

/** Returns the model and endpoint of a call; `undefined` if the call does not run a model. */
export function getModelUse(call: {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly model?: string;
}): ModelUse | undefined {
  const { method, path, body } = call;
  if (method === 'GET' || !modelPaths.some((pathPrefix) => path.startsWith(pathPrefix)))
    return undefined;
  const model = call.model ?? (isRecord(body) ? body['model'] : undefined);
  return typeof model === 'string' && model !== '' ? { model, path } : { path };
}
