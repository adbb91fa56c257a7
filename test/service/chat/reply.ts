import type { JsonRecord } from '../../../src/base/json.ts';
import { answerCall } from '../models/answer.ts';
import { type SearchResults, emptySearchResults } from '../web/search-results.ts';
import { type Micro, toMicro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import type { ServiceState } from '../service-state.ts';
import type { ChatCall } from './call.ts';
import { type Chunk, ChunkWriter, type Usage } from './chunks.ts';
import { pauseFor, paceItems } from './pace.ts';
import { type AnswerFragment, splitAnswer } from './split-answer.ts';
import { getFinishReason, type Script, ScriptPlayer } from './script.ts';
import { countPromptTokens, tokenizeText } from './tokens.ts';

/** Thrown while a reply is being sent, to end it with an error event. */
export class StreamFailure extends Error {
  readonly error: JsonRecord;

  constructor(error: JsonRecord) {
    super('The reply broke off');
    this.error = error;
  }
}

/** Thrown while a reply is being sent, to end it without an error event. */
export class StreamCut extends Error {
  readonly ending: 'end' | 'reset';

  constructor(ending: 'end' | 'reset') {
    super('The reply was cut');
    this.ending = ending;
  }
}

/** Text that a stream sends unchanged in place of a formatted chunk. */
export interface RawBytes {
  readonly raw: string;
}

/** One choice of a reply in progress. */
interface ReplyChoice {
  readonly fragments: AsyncIterable<AnswerFragment>;
  /** Finish reason. Null if the reply contains none. */
  readonly finishReason: string | null;
}

/** The choices that a reply will contain, and the usage to report. */
export interface ReplyPlan {
  readonly choices: readonly ReplyChoice[];
  readonly searchResults: SearchResults;
  readonly usage?: Script['usage'];
}

/**
 * Plans the reply. Rejects invalid requests, because an error status is impossible after the first byte of the reply.
 */
export async function planReply(
  state: ServiceState,
  call: ChatCall,
  signal: AbortSignal,
): Promise<ReplyPlan> {
  const script = state.scripts.takeMatchingScript(call.body);
  if (script !== undefined) {
    const fragments = playScript(state, script, signal);
    const { usage } = script;
    return {
      choices: [{ fragments, finishReason: getFinishReason(script) }],
      searchResults: getScriptedResults(script),
      ...(usage && { usage }),
    };
  }
  const count = call.body.n ?? 1;
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => answerCall(call, n)));
  const choices = answers.map((answer) => {
    const { fragments, finishReason } = splitAnswer(answer, call.model, call.body);
    const { model } = call;
    return {
      fragments: paceItems(fragments, { setting: state.pace, model, signal }),
      finishReason,
    };
  });
  return { choices, searchResults: answers[0]?.searchResults ?? emptySearchResults };
}

/** Returns the citations of a script. They are sent unchanged and can be any JSON values. */
function getScriptedResults({ citations }: Script): SearchResults {
  if (citations === undefined) return emptySearchResults;
  return {
    citations: citations as unknown as SearchResults['citations'],
    unreadUrls: [],
    lookupCount: 1,
  };
}

async function* playScript(
  state: ServiceState,
  script: Script,
  signal: AbortSignal,
): AsyncGenerator<AnswerFragment> {
  const player = new ScriptPlayer();
  for (const step of script.steps) {
    if ('wait' in step) await pauseFor(step.wait, signal);
    if ('hold' in step) await state.scripts.waitForRelease(step.hold, signal);
    if ('error' in step) throw new StreamFailure(step.error);
    if ('cut' in step) throw new StreamCut(step.cut);
    if (signal.aborted) return;
    yield* player.createFragments(step);
  }
}

/** A planned reply and the key that pays for it. */
interface ReplyContext {
  readonly call: ChatCall;
  readonly plan: ReplyPlan;
  readonly key: ApiKey;
  /** Called after each fragment with the number of tokens sent so far. */
  readonly onTokens: (tokenCount: number) => void;
}

/**
 * Streams the chunks of the reply. At the end, or when the client disconnects, charges the tokens that were sent until
 * then.
 * @throws StreamFailure or StreamCut if a script ends the reply
 */
export async function* streamReply(
  state: ServiceState,
  { call, plan, key, onTokens }: ReplyContext,
): AsyncGenerator<Chunk | RawBytes> {
  const { citations } = plan.searchResults;
  const citationPosition = state.web.options.citations;
  const service_parameters = { ...call.settings, web_search_citations: citations };
  const writer = new ChunkWriter(call, state.clock.now());
  const meter = new UsageMeter(call, plan);
  let cost = { usd: 0, diem: 0 };
  try {
    for (const [index, { fragments, finishReason }] of plan.choices.entries()) {
      const startChunk = writer.createStartChunk(index);
      yield index === 0 && citationPosition !== 'last'
        ? { ...startChunk, service_parameters }
        : startChunk;
      for await (const fragment of fragments) {
        onTokens(meter.addFragment(fragment));
        yield fragment.kind === 'raw'
          ? { raw: fragment.text }
          : writer.createFragmentChunk(index, fragment);
      }
      if (finishReason !== null) yield writer.createFinishChunk(index, finishReason);
    }
  } finally {
    cost = chargeReply(state, { call, key, meter });
  }
  const finalParameters =
    citationPosition === 'first'
      ? { ...service_parameters, web_search_citations: [] }
      : service_parameters;
  yield writer.createLastChunk({
    usage: meter.computeUsage(),
    cost,
    service_parameters: finalParameters,
  });
}

function chargeReply(
  state: ServiceState,
  { call, key, meter }: { call: ChatCall; key: ApiKey; meter: UsageMeter },
): { usd: number; diem: number } {
  const model = call.model.record.id;
  const amounts = state.accounts.chargeAccount(key, meter.computeCost(), model);
  state.limits.spendTokens(key.id, model, meter.computeUsage().total_tokens);
  return { usd: (amounts.usd + amounts.bundled) / 1e6, diem: amounts.diem / 1e6 };
}

function getFragmentText(fragment: AnswerFragment): string {
  if (fragment.kind === 'delta') return JSON.stringify(fragment.delta);
  return fragment.kind === 'tool-call' ? fragment.arguments : fragment.text;
}

/** Price of each web search, each page that is read and each post that is found, in millionths of a dollar. */
const lookupPrice = toMicro(0.01);

class UsageMeter {
  readonly #call: ChatCall;
  readonly #plan: ReplyPlan;
  #completionTokenCount = 0;
  #reasoningTokenCount = 0;

  constructor(call: ChatCall, plan: ReplyPlan) {
    this.#call = call;
    this.#plan = plan;
  }

  /** Adds the tokens of a fragment to the total. Returns the total number of tokens. */
  addFragment(fragment: AnswerFragment): number {
    const text = getFragmentText(fragment);
    const tokenCount = Math.max(1, tokenizeText(text).length);
    this.#completionTokenCount += tokenCount;
    if (fragment.kind === 'reasoning') this.#reasoningTokenCount += tokenCount;
    return this.#completionTokenCount;
  }

  computeUsage(): Usage {
    const scriptedUsage = this.#plan.usage;
    const promptTokenCount = scriptedUsage?.prompt_tokens ?? countPromptTokens(this.#call);
    const completionTokenCount = scriptedUsage?.completion_tokens ?? this.#completionTokenCount;
    const reasoningTokenCount = scriptedUsage?.reasoning_tokens ?? this.#reasoningTokenCount;
    return {
      prompt_tokens: promptTokenCount,
      completion_tokens: completionTokenCount,
      total_tokens: promptTokenCount + completionTokenCount,
      prompt_tokens_details: null,
      completion_tokens_details:
        reasoningTokenCount > 0 ? { reasoning_tokens: reasoningTokenCount } : null,
    };
  }

  /** Returns the cost of the reply. Returns 0 if no token was sent. */
  computeCost(): Micro {
    const { prompt_tokens, completion_tokens } = this.computeUsage();
    if (completion_tokens === 0) return 0;
    const { input, output } = this.#call.model.price;
    const searchCost = this.#plan.searchResults.lookupCount * lookupPrice;
    return Math.ceil(prompt_tokens * input + completion_tokens * output) + searchCost;
  }
}
