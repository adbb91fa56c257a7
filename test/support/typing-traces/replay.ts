import type { CompletionPorts, SuggestionProvider } from '../../../src/completion/ports.ts';
import { requestPolicies } from '../../../src/completion/request-timing.ts';
import type { Snapshot } from '../../../src/completion/snapshot.ts';
import { readModel } from '../../../src/service/read-model.ts';
import type { Model } from '../../../src/service/model-types.ts';
import { ManualClock } from '../manual-clock.ts';
import type { PolicyFigures } from './figures.ts';
import { GhostText } from './ghost-text.ts';
import { ModelEditor } from './model-editor.ts';
import { SimulatedModel } from './simulated-model.ts';
import { ReplayWatch } from './replay-watch.ts';
import type { Trace } from './trace.ts';
import { Typist } from './typist.ts';
import { isAddedElision } from '../../../src/agent/edit/new-text-elision.ts';

/** Function that creates a suggestion provider with the given dependencies. */
export type Policy = (ports: CompletionPorts) => SuggestionProvider;

/**
 * Replays a typing trace on a virtual clock, with the suggestion provider that `createProvider` returns. The results
 * are the same in every run.
 */
export async function replayTrace(trace: Trace, createProvider: Policy): Promise<PolicyFigures> {
  const clock = new ManualClock();
  const editor = new ModelEditor(trace);
  const model = new SimulatedModel(clock);
  const watcher = new ReplayWatch({ clock, editor, model });
  let requestSnapshot: Snapshot = editor.createSnapshot();
  const provider = createProvider({
    clock,
    getSettings: () => ({ isAutomatic: true, canSuggestInComments: true, canPrefetch: true }),
    getTarget: () => ({ model: codeModel, route: 'chat' }),
    getPolicy: () => requestPolicies.balanced,
    isElision: isAddedElision,
    // Every request first queries the context, which contains the request's position.
    getContext(snapshot) {
      requestSnapshot = snapshot;
      return trace.neighbors;
    },
    sendRequest(request, signal) {
      const isAhead = requestSnapshot.prefix !== editor.textBefore;
      watcher.onRequest({ isAhead });
      return model.complete(request, { snapshot: requestSnapshot, isAhead, signal });
    },
    reportExchange() {},
  });
  const ghostText = new GhostText(provider, { editor, clock, watcher });
  await new Typist(trace, { editor, ghostText, clock, watcher }).runTrace();
  provider.dispose();
  return watcher.computeFigures();
}

const codeModel = readModel({
  id: 'code-model',
  type: 'text',
  object: 'model',
  model_spec: { name: 'Code model', availableContextTokens: 32_768 },
}) as Model;
