export type PlainServerKind =
  | 'llamacpp'
  | 'ollama'
  | 'vllm'
  | 'lmstudio'
  | 'openrouter'
  | 'litellm';

/** Settings of a server that imitates a plain OpenAI-style server. */
export interface PlainServerSettings {
  readonly kind: PlainServerKind;
  /** Free port by default. */
  readonly port?: number;
  /** False if no model accepts tools. */
  readonly tools?: boolean;
  /** False if no model accepts images. */
  readonly vision?: boolean;
  /** Usable context in tokens. */
  readonly context?: number;
  /** API key to require. */
  readonly key?: string;
  /** Delay before the first event of an answer in milliseconds. */
  readonly latency?: number;
  /** llama.cpp with several models. */
  readonly router?: boolean;
  readonly embeddings?: boolean;
  /** Behavior of older releases. */
  readonly legacy?: boolean;
  readonly thinkTags?: boolean;
}

export interface PlainServer {
  readonly origin: string;
  /** Base address, which ends in `/v1` or as the imitated server has it. */
  readonly baseUrl: string;
  readonly kind: PlainServerKind;
  /** Ids of the models. */
  readonly models: readonly string[];
  /** Received requests in order, without the values of key headers. */
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  }[];
  readonly close: () => Promise<void>;
}

export function startPlainServer(settings: PlainServerSettings): Promise<PlainServer>;
