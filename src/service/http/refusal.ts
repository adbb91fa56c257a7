/** Part of a request that a model cannot process. */
export type RefusedPart = 'tools' | 'images';

/**
 * Reason why a server rejects a request: the model does not support a part of the request, or the request is too long.
 */
export interface Refusal {
  /**
   * Rejected part of the request. `size`: the request is too long. `insert`: the route or the model does not support a
   * suffix, so it cannot fill a gap in a text.
   */
  readonly kind: RefusedPart | 'size' | 'insert';
  /** Context size in tokens. Only for `size`, if the error text contains the number. */
  readonly contextTokens?: number;
}

/**
 * Patterns of error texts about requests that the model does not support. Servers send the same text with different
 * statuses (200, 400, 404, 500, 501), so the text decides. Sources: llama.cpp, Ollama, vLLM, LM Studio, OpenRouter,
 * LiteLLM.
 */
const refusalPatterns: readonly (readonly [Refusal['kind'], RegExp])[] = [
  [
    'size',
    /exceeds the available context size|maximum context length|tokens to keep from the initial prompt|contextwindowexceeded|longer than the context length/i,
  ],
  [
    'tools',
    /does not support tools|support tool use|tool choice requires|tool_choice="?\w+"? requires|requires --jinja|does not support parameters: \['tools'/i,
  ],
  [
    'images',
    /image input|not a multimodal model|at most 0 image|does not support images|vision add-on is not loaded/i,
  ],
  [
    'insert',
    /does not support insert|infill is not supported|suffix is not (?:currently )?supported|unsupported param: suffix/i,
  ],
];

/**
 * Response statuses with which servers report unsupported requests. An error in the body of a successful response has
 * the status 200, and an error event in a stream has the value 0.
 */
const refusalStatuses: ReadonlySet<number> = new Set([0, 200, 400, 404, 413, 422, 500, 501]);

/** Reads the reason for which an error text rejects a request as unsupported. Returns `undefined` for other errors. */
export function findRefusal(status: number, text: string): Refusal | undefined {
  if (!refusalStatuses.has(status)) return undefined;
  const kind = refusalPatterns.find(([, pattern]) => pattern.test(text))?.[0];
  if (kind !== 'size') return kind && { kind };
  const contextTokens = findContextSize(text);
  return { kind, ...(contextTokens === undefined ? {} : { contextTokens }) };
}

/**
 * Source of a regular expression for a number. Groups of three digits may be separated by a comma, an underscore or a
 * space.
 */
const numberSource = String.raw`(\d{1,3}(?:[,_\s]\d{3})+(?!\d)|\d+)`;
/** Patterns of context sizes in error texts, such as `n_ctx: 4096` and `maximum context length is 131,072 tokens`. */
const contextSizePatterns = [
  String.raw`available context size \(${numberSource} tokens\)`,
  String.raw`maximum context length (?:is|of) (?:only )?${numberSource}`,
  String.raw`n_ctx["']?: ${numberSource}`,
].map((source) => new RegExp(source, 'i'));

/** Minimum plausible context size in tokens. Smaller numbers in an error text are not context sizes. */
const minContextTokens = 16;

function findContextSize(text: string): number | undefined {
  const digits = contextSizePatterns.map((pattern) => pattern.exec(text)?.[1]).find(Boolean);
  const size = Number(digits?.replaceAll(/\D/g, ''));
  return Number.isSafeInteger(size) && size >= minContextTokens ? size : undefined;
}
