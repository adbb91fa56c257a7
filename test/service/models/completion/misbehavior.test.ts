import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import type {
  SuggestionRequest,
  CompletionPorts,
  CompletionRoute,
  ProvidedSuggestions,
} from '../../../../src/completion/ports.ts';
import { CompletionPipeline } from '../../../../src/completion/pipeline.ts';
import type { FilterName } from '../../../../src/completion/reason.ts';
import { createSnapshotOf } from '../../../../src/completion/snapshot.fixture.ts';
import { streamChat } from '../../../../src/service/chat/stream-chat.ts';
import { CircuitBreakers } from '../../../../src/service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../../../src/service/http/client.ts';
import { streamCompletionBatches } from '../../../../src/service/chat/completions.ts';
import { createDirectTransport } from '../../../../src/service/http/direct-transport.ts';
import { readModel } from '../../../../src/service/read-model.ts';
import type { Model } from '../../../../src/service/model-types.ts';
import { textModels } from '../../catalog/text-models.ts';
import { Control } from '../../control.ts';
import { type CodeModelMisbehavior, codeModelMisbehaviorSchema } from './misbehavior.ts';
import { simulateCompletion } from '../../chat/simulate-completion.ts';
import { type LocalService, startLocalService } from '../../server.ts';
import { createReplyCheck } from '../../test-service.ts';
import { isAddedElision } from '../../../../src/agent/edit/new-text-elision.ts';

const similarFileText = `import { log } from './log';

export function area(width: number, height: number): number {
  const size = width * height;
  if (size < 0) {
    log('negative');
    return 0;
  }
  return size;
}

export function volume(width: number, height: number, depth: number): number {
  return area(width, height) * depth;
}

export function surface(width: number, height: number, depth: number): number {
  const sides = area(width, depth) + area(height, depth);
  return 2 * (area(width, height) + sides);
}
`;

/** Cursor positions in code, with the correct suggestion for each. */
const positions = [
  {
    position: 'in a function',
    text: `import { log } from './log';

export function area(width: number, height: number): number {
  |
}

export function edge(width: number): number {
  return 4 * width;
}
`,
    expected:
      "const size = width * height;\n  if (size < 0) {\n    log('negative');\n    return 0;\n  }\n  return size;",
  },
  {
    position: 'after the start of a block',
    text: `import { log } from './log';

export function area(width: number, height: number): number {|

export const done = true;
`,
    expected:
      "\n  const size = width * height;\n  if (size < 0) {\n    log('negative');\n    return 0;\n  }\n  return size;\n}",
  },
  {
    position: 'between two lines',
    text: `export function space(width: number, height: number): number {
  const size = width * height;
  |
  return size;
}
`,
    expected: "if (size < 0) {\n    log('negative');\n    return 0;\n  }",
  },
  {
    position: 'in a line',
    text: `export function space(width: number, height: number): number {
  const size = |
  return size;
}
`,
    expected: 'width * height;',
  },
  {
    position: 'in a word',
    text: `export function space(width: number, height: number): number {
  const size = wid|
  return size;
}
`,
    expected: 'th * height;',
  },
] as const;
const [functionPosition, , linesPosition] = positions;

/**
 * Misbehavior that does not prevent a correct suggestion, because the extension finds the correct text in the answer.
 */
const misbehaviorsWithCorrectSuggestion: readonly CodeModelMisbehavior[] = [
  {},
  { ignoresScope: true },
  { indentation: 'none' },
  { indentation: 'deeper' },
  { indentation: 'tabs' },
  { repeatsSuffix: true },
  { repeatsItself: true },
  { echo: 'line' },
  { echo: 'lines' },
  { echo: 'all' },
  { cursorMark: true },
  { fence: 'plain' },
  { fence: 'language' },
  { prose: 'before' },
  { prose: 'after' },
  { prose: 'both' },
  { thinks: true },
  { thinks: true, fence: 'plain' },
  { thinks: true, repeatsSuffix: true, cursorMark: true },
  { prose: 'both', fence: 'language' },
  { prose: 'both', cursorMark: true },
  { prose: 'before', echo: 'lines' },
  { prose: 'both', repeatsItself: true },
  { fence: 'plain', echo: 'line' },
  { fence: 'plain', echo: 'all', repeatsSuffix: true },
  { fence: 'plain', repeatsItself: true },
  { fence: 'plain', indentation: 'none' },
  { echo: 'line', cursorMark: true },
  { ignoresScope: true, fence: 'language', prose: 'both' },
  { ignoresScope: true, repeatsItself: true },
  { ignoresScope: true, indentation: 'deeper' },
  { ignoresScope: true, indentation: 'none' },
  { repeatsSuffix: true, indentation: 'tabs' },
  { thinks: true, prose: 'both', fence: 'language', echo: 'lines', cursorMark: true },
  {
    thinks: true,
    prose: 'both',
    fence: 'language',
    echo: 'all',
    ignoresScope: true,
    indentation: 'tabs',
  },
];

/** Kinds of misbehavior that prevent a suggestion, each with the extension's filter that rejects the answer. */
const misbehaviorsWithoutSuggestion: readonly (readonly [CodeModelMisbehavior, FilterName])[] = [
  [{ empty: 'nothing' }, 'blank'],
  [{ empty: 'blank' }, 'blank'],
  [{ empty: 'nothing', thinks: true }, 'blank'],
  [{ empty: 'blank', fence: 'plain' }, 'blank'],
  [{ empty: 'nothing', repeatsSuffix: true }, 'repeats-suffix'],
  [{ empty: 'nothing', repeatsSuffix: true, fence: 'language' }, 'repeats-suffix'],
  [{ characters: 'control' }, 'control-characters'],
  [{ characters: 'bidirectional' }, 'control-characters'],
  [{ characters: 'control', fence: 'plain', prose: 'both' }, 'control-characters'],
  [{ characters: 'bidirectional', echo: 'lines', repeatsSuffix: true }, 'control-characters'],
];

/** Misbehavior that adds text after the correct text. The extension must cancel the request before the answer ends. */
const misbehaviorsWithExtraText: readonly CodeModelMisbehavior[] = [
  { ignoresScope: true },
  { repeatsItself: true },
  { prose: 'after', ignoresScope: true },
  { fence: 'plain', ignoresScope: true },
  { thinks: true, repeatsItself: true },
];

const codeModel = readModel(
  textModels.find(({ record }) => record.id === 'coder-inline-7b')?.record,
) as Model;
let service: LocalService;
let control: Control;

const { onReply, problems } = createReplyCheck();

beforeAll(async () => {
  service = await startLocalService({ pace: 'instant', hasCompletionsRoute: true, onReply });
  control = new Control(service.controlUrl);
});
afterAll(async () => {
  await service.stop();
  expect(problems).toEqual([]);
});

const formatMisbehavior = (misbehavior: CodeModelMisbehavior): string =>
  Object.entries(misbehavior)
    .map(([name, value]) => (value === true ? name : `${name} (${value})`))
    .join(', ') || 'none';

const addLabel = (
  misbehavior: CodeModelMisbehavior,
): [label: string, misbehavior: CodeModelMisbehavior] => [
  formatMisbehavior(misbehavior),
  misbehavior,
];

describe.each(['chat', 'completions'] as const)('a suggestion through the route %s', (route) => {
  // In the middle of a line, a plain completion request stops at the first line break.
  const routePositions =
    route === 'chat' ? positions : positions.filter(({ expected }) => expected.includes('\n'));

  describe.each(routePositions)('with the cursor $position', ({ text, expected }) => {
    test.each(misbehaviorsWithCorrectSuggestion.map(addLabel))(
      'a correct suggestion is shown with the model misbehavior: %s',
      async (_, misbehavior) => {
        expect(await readSuggestions({ text, route, misbehavior })).toEqual([expected]);
      },
    );
  });

  test.each(
    misbehaviorsWithoutSuggestion.map(
      ([misbehavior, filter]) => [filter, ...addLabel(misbehavior)] as const,
    ),
  )(
    'no suggestion is shown, because the filter "%s" rejects the text, with the model misbehavior: %s',
    async (filter, _, misbehavior) => {
      const reason = { kind: 'filtered', filter };
      expect(await readSuggestions({ text: linesPosition.text, route, misbehavior })).toEqual(
        reason,
      );
    },
  );

  test.each(misbehaviorsWithExtraText.map(addLabel))(
    'the extension ends the request early with the model misbehavior: %s',
    async (_, misbehavior) => {
      const testCase = { text: functionPosition.text, route, misbehavior };
      const [request] = (await provideSuggestion(testCase)).requests;
      const { fragments } = simulateCompletion(request!, misbehavior);
      const steps = fragments.map((content) => ({ content }));
      await control.reset();
      // The service waits before the end of the answer until the extension closes the request.
      await control.addScripts({
        steps: [...steps.slice(0, -1), { hold: 'end' }, ...steps.slice(-1)],
      });
      const { providedSuggestions } = await provideSuggestion(testCase);
      expect(providedSuggestions.suggestions).toHaveLength(1);
      const recordedRequest = await control.waitForRequest(
        ({ closedAt }) => closedAt !== undefined,
      );
      expect(recordedRequest.abortedByClient).toBe(true);
      await control.reset();
    },
  );
});

test('the tests of this file cover every misbehavior of the test service', () => {
  const coveredFieldNames = [
    ...misbehaviorsWithCorrectSuggestion,
    ...misbehaviorsWithoutSuggestion.map(([misbehavior]) => misbehavior),
  ].flatMap(Object.keys);
  expect(new Set(coveredFieldNames)).toEqual(
    new Set(Object.keys(codeModelMisbehaviorSchema.entries)),
  );
});

test.each(misbehaviorsWithCorrectSuggestion.slice(1).map(addLabel))(
  'the answer of the model changes with the misbehavior: %s',
  async (_, misbehavior) => {
    const { requests } = await provideSuggestion({
      text: functionPosition.text,
      route: 'chat',
      misbehavior,
    });
    const [request] = requests;
    expect(simulateCompletion(request!, misbehavior).fragments).not.toEqual(
      simulateCompletion(request!).fragments,
    );
  },
);

interface MisbehaviorCase {
  readonly text: string;
  readonly route: CompletionRoute;
  readonly misbehavior: CodeModelMisbehavior;
}

/** Returns the suggested texts. Without a suggestion, returns the reason. */
async function readSuggestions(testCase: MisbehaviorCase): Promise<unknown> {
  const { providedSuggestions } = await provideSuggestion(testCase);
  return providedSuggestions.reason ?? providedSuggestions.suggestions.map(({ text }) => text);
}

async function provideSuggestion({ text, route, misbehavior }: MisbehaviorCase): Promise<{
  readonly providedSuggestions: ProvidedSuggestions;
  readonly requests: readonly SuggestionRequest[];
}> {
  await control.setCodeModelMisbehavior(misbehavior);
  const requests: SuggestionRequest[] = [];
  const pipeline = new CompletionPipeline(createPorts(route, requests));
  const { signal } = new AbortController();
  const providedSuggestions = await pipeline.provide(createSnapshotOf(text), {
    isExplicit: false,
    signal,
  });
  return { providedSuggestions, requests };
}

const transport = createDirectTransport();

function createPorts(route: CompletionRoute, requests: SuggestionRequest[]): CompletionPorts {
  const context: ServiceContext = {
    getEndpoint: async () => ({
      baseUrl: new URL(service.baseUrl),
      vendorPrefix: 'service',
      apiKey: service.apiKey,
    }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => 0,
  };
  return {
    clock: systemClock,
    getSettings: () => ({ isAutomatic: true, canSuggestInComments: true, canPrefetch: false }),
    getTarget: () => ({ model: codeModel, route }),
    getPolicy: () => ({
      getDelayMs: () => 0,
      getPrefetchDelayMs: () => undefined,
      maxLinesAhead: 0,
    }),
    isElision: isAddedElision,
    getContext: () => [{ kind: 'similar', path: 'src/area.ts', text: similarFileText }],
    sendRequest: (request, signal) => {
      requests.push(request);
      const options = { signal, disableRetries: true };
      return request.route === 'chat'
        ? streamChat(context, request.request, options)
        : streamCompletionBatches(context, request.request, options);
    },
    reportExchange: () => {},
  };
}
