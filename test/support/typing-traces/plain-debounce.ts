import { wait } from '../../../src/base/clock.ts';
import { createAnswerReader } from '../../../src/completion/answer/read-answer.ts';
import { chooseCompletionScope } from '../../../src/completion/answer/scope.ts';
import type {
  CompletionPorts,
  SuggestionProvider,
  ProvidedSuggestions,
} from '../../../src/completion/ports.ts';
import { fitToLine } from '../../../src/completion/filter/fit-line.ts';
import { refineText } from '../../../src/completion/filter/refine.ts';
import { buildRequest } from '../../../src/completion/prompt/build-request.ts';
import { getLineSuffix } from '../../../src/completion/language/cursor-context.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';

const debounceMs = 300;
const noSuggestions: ProvidedSuggestions = { suggestions: [], source: 'none' };

/**
 * Baseline policy: waits for 300 ms, sends a request and shows the answer. A key press cancels the request and restarts
 * the wait. Uses the requests and filters of the extension, but no cache.
 */
export class PlainDebounce implements SuggestionProvider {
  readonly #ports: CompletionPorts;
  #lastId = 0;

  constructor(ports: CompletionPorts) {
    this.#ports = ports;
  }

  async provide(
    snapshot: Snapshot,
    { signal }: { readonly isExplicit: boolean; readonly signal: AbortSignal },
  ): Promise<ProvidedSuggestions> {
    const { clock } = this.#ports;
    await wait(debounceMs, { clock, signal }).catch(() => {});
    if (signal.aborted) return noSuggestions;
    const text = await this.#answer(snapshot, signal);
    if (signal.aborted) return noSuggestions;
    const refinement = refineText(text, { snapshot, isWhole: true });
    const fittedSuggestion =
      'text' in refinement ? fitToLine(refinement.text, getLineSuffix(snapshot)) : undefined;
    if (fittedSuggestion === undefined) return noSuggestions;
    this.#lastId += 1;
    return { suggestions: [{ id: this.#lastId, ...fittedSuggestion }], source: 'requested' };
  }

  recordAcceptance(): void {}
  handleCursorMove(): void {}
  clear(): void {}
  dispose(): void {}

  async #answer(snapshot: Snapshot, signal: AbortSignal): Promise<string> {
    const scope = chooseCompletionScope(snapshot);
    const context = this.#ports.getContext(snapshot);
    const target = this.#ports.getTarget();
    if (target === undefined) return '';
    const request = buildRequest({ snapshot, context, scope, target });
    const reader = createAnswerReader(snapshot, scope, { isElision: this.#ports.isElision });
    for await (const batch of this.#ports.sendRequest(request, signal)) {
      for (const event of batch) if (event.type === 'text-delta') reader.push(event.text);
    }
    reader.end();
    return reader.text;
  }
}
