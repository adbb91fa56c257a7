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
  /** Port of the server. Default: any free port. */
  readonly port?: number;
  /** False if no model accepts tools. */
  readonly tools?: boolean;
  /** False if no model accepts images. */
  readonly vision?: boolean;
  /** Usable context in tokens. */
  readonly context?: number;
  /** API key that the server requires. By default, only servers of kind `openrouter` require a key. */
  readonly key?: string;
  /** Delay before the first event of an answer in milliseconds. */
  readonly latency?: number;
  /** True to imitate llama.cpp with several models. */
  readonly router?: boolean;
  readonly embeddings?: boolean;
  /** True to imitate quirks of older releases. */
  readonly legacy?: boolean;
  readonly thinkTags?: boolean;
}

export interface PlainServer {
  readonly origin: string;
  /** Base URL of the API. Ends in `/v1`, unless the imitated server uses another path. */
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
