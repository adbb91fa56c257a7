/**
 * The body of `POST /completions`, which the specification does not have: servers of code models do (llama.cpp, Ollama,
 * vLLM), in the common form. The answer streams as chunks with `choices[0].text`.
 */
export interface CompletionRequest {
  readonly model: string;
  readonly prompt: string;
  /** What stands behind the hole. */
  readonly suffix?: string;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
}
