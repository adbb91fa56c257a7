#!/usr/bin/env node
/**
 * Test server that imitates a plain OpenAI-style server: model list, refusals, streaming details.
 * Facts and sources: `test/foreign/README.md`. Needs Node 20 or newer and no packages.
 *
 *   node plain-server.mjs --kind llamacpp|ollama|vllm|lmstudio|openrouter|litellm [options]
 *   node plain-server.mjs --self-test
 *
 * Listens on 127.0.0.1 only and prints one JSON line `{baseUrl, kind, models}` when ready.
 *   --port N         port; 0, the default, selects a free port
 *   --no-tools       no model accepts tools (llama.cpp: --no-jinja; vLLM: no tool parser)
 *   --no-vision      no model accepts images (llama.cpp: no mmproj)
 *   --context N      usable context in tokens; a token is counted as four characters
 *   --key SECRET     API key to require; Ollama ignores it. OpenRouter always needs some key. LiteLLM then also takes the
 *                    limited keys sk-spent, sk-spent-401, sk-spent-429, sk-other-model, sk-other-model-403 and sk-llm-api
 *   --latency MS     delay before the first event of an answer, and a twentieth of it between events
 *   --router         llama.cpp router mode with several models
 *   --embeddings     llama.cpp or vLLM started with an embedding model
 *   --legacy         quirks of older releases (tool index, `reasoning_content`, flat errors, `suffix`)
 *   --think-tags     reasoning arrives as <think> text in the content
 *   --verbose        log each request to stderr
 *   --record FILE    append each request as a JSON line, without the values of key headers
 *
 * Triggers in the last user message:
 *   call NAME {"a": 1}   emits this tool call if NAME is offered; may occur several times
 *   fail mid-stream      breaks a stream after a few words, in the way of the imitated server
 * A last message with the role `tool` gets an answer that quotes its first 200 characters. Keep-alive
 * comments are sent once at the start of a stream, not after silence.
 *
 * Assumptions without a source: status 400 of LM Studio's image refusal, the embedding refusals of LM Studio,
 * OpenRouter and LiteLLM, an ignored `suffix` and no `[DONE]` after an error on LM Studio and OpenRouter.
 *
 * Tests can import `startPlainServer(settings)`; its result has `baseUrl`, `requests` and `close()`.
 */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const created = 1_760_000_000;
const coder = 'qwen2.5-coder:1.5b-base';
const doneLine = 'data: [DONE]\n\n';
const noMmproj = 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj';

const reply = (status, body) => ({ status, body });
const listOf = (data) => reply(200, { object: 'list', data });
const byId = (models, id) => models.find((each) => each.id === id);
const dataLine = (value) => `data: ${JSON.stringify(value)}\n\n`;
const streamedError = (message) => `event: error\n${dataLine({ error: { message }, message })}`;
const bearerOf = (headers) => /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
const outputLimit = (body) => body.max_completion_tokens ?? body.max_tokens ?? 0;
const chunksOf = (text) => text.match(/\s*\S+(?:\s+\S+){0,2}\s*/g) ?? [];

/**
 * Creates a model. `traits` is a space-separated list: tools, vision, thinks, insert, embedding and names that one kind
 * of server uses.
 */
const model = (id, trained, traits = '', more = {}) =>
  ({ id, trained, ...Object.fromEntries((traits.match(/\w+/g) ?? []).map((trait) => [trait, true])), ...more });
/** Returns the names that `names` lists for the traits of the model. */
const traitNames = (each, names) => Object.keys(names).filter((trait) => each[trait]).flatMap((trait) => names[trait]);

/** Returns a function that creates the deltas of a tool call whose arguments stream in fragments. */
const fragments = (id, first = { arguments: '' }) => (call, index) => [
  { tool_calls: [{ index, id: `${id}${index}`, type: 'function', function: { name: call.name, ...first } }] },
  ...call.arguments.match(/[\s\S]{1,6}/g).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
];
/**
 * Returns a function that creates the only delta of a complete tool call. If `isCounted` is false, every call has the
 * index 0.
 */
const wholeCall = (id, isCounted) => (call, index) =>
  [{ tool_calls: [{ index: isCounted ? index : 0, id: `${id}${index}`, type: 'function', function: call }] }];

/**
 * Returns a completion that quotes the prompt and the suffix, so that tests can detect which of them the server used.
 */
function middleOf(prompt, suffix) {
  const start = JSON.stringify(String(prompt ?? '').slice(-20));
  return suffix ? `/* between ${start} and ${JSON.stringify(suffix.slice(0, 20))} */` : `/* after ${start} */`;
}

/*
 * Each kind is a function from the settings to an object:
 *   models, routes           fixtures; routes other than the OpenAI ones, by method and path
 *   refusals, unknownModel   replies to requests that the model cannot serve; an absent one accepts the request
 *   noKey, wrongKey          replies to a missing or wrong key; publicPaths are exempt
 *   limitedKeys              valid keys beside --key, and their replies by path; an absent one accepts the request
 *   toolDeltas, reasoning, role, extra, choiceMore, finishDelta, last, comment   shape of a stream
 *   breakStream              event of a failure in the middle of a stream
 */
function llamacpp(settings) {
  const { legacy, router, embeddings } = settings;
  const error = (code, type, message, more) => reply(code, { error: { code, message, type, ...more } });
  const unknownModel = (id) => error(400, 'invalid_request_error', `model '${id}' not found`);
  const models = embeddings ? [model('bge-m3-Q8_0.gguf', 8_192, 'embedding')]
    : [model('Qwen3-VL-8B-Q4_K_M.gguf', 40_960, 'tools vision thinks insert')];
  if (router) models.push(model('phi-4-Q4_K_M', 16_384, 'tools unloaded'));
  const modalities = ({ vision }) => ({ input_modalities: vision ? ['text', 'image'] : ['text'], output_modalities: ['text'] });
  const record = (each) => ({
    id: each.id, aliases: [], tags: [], object: 'model', created, owned_by: 'llamacpp',
    ...(router && { status: { value: each.unloaded ? 'unloaded' : 'loaded' }, architecture: modalities(each) }),
    ...(!each.unloaded && { meta: { ...(!legacy && { n_ctx: each.context }), n_ctx_train: each.trained, n_vocab: 151_936 } }),
  });
  const modelList = () => {
    const [{ id, vision }] = models;
    const capabilities = vision ? ['completion', 'multimodal'] : ['completion'];
    const ollamaLike = { name: id, model: id, size: '', digest: '', type: 'model', capabilities, details: { format: 'gguf' } };
    return reply(200, { ...(!router && { models: [ollamaLike] }), object: 'list', data: models.map(record) });
  };
  const props = ({ query }) => {
    const id = query.get('model');
    const each = router ? byId(models, id) : models[0];
    if (router && id === null) return reply(200, { role: 'router', default_generation_settings: { params: {}, n_ctx: 0 } });
    if (each === undefined) return unknownModel(id);
    if (each.unloaded && query.get('autoload') === 'false') return error(400, 'invalid_request_error', 'model is not loaded');
    each.unloaded = false;
    return reply(200, {
      default_generation_settings: { params: {}, n_ctx: each.context }, total_slots: 4, model_alias: each.id, build_info: 'b9554',
      modalities: { vision: !!each.vision, video: false, audio: false }, chat_template: '{{ messages }}', is_sleeping: false,
      chat_template_caps: { supports_tools: !!each.tools, supports_tool_calls: !!each.tools, supports_system_role: true },
    });
  };
  const infill = ({ body }, response) => {
    const missing = ['prefix', 'suffix', 'middle'].map((name) => `${name} token is missing. `).join('');
    if (!models[0].insert) return error(501, 'not_supported_error', `Infill is not supported by this model: ${missing}`);
    const text = middleOf(body.input_prefix, body.input_suffix);
    const last = { index: 0, content: body.stream ? '' : text, stop: true, model: models[0].id, stop_type: 'eos' };
    if (!body.stream) return reply(200, last);
    const events = [...chunksOf(text).map((content) => ({ index: 0, content, stop: false })), last];
    return sendEvents(response, settings, events.map(dataLine));
  };
  return {
    models, unknownModel, acceptsAny: () => !router,
    publicPaths: /^(\/v1)?\/(health|models)$/, keyHeader: 'x-api-key', wrongKey: error(401, 'authentication_error', 'Invalid API Key'),
    role: 'own', firstDelta: { role: 'assistant', content: null }, comment: ':\n\n', toolDeltas: fragments('id7f3c'),
    extra: () => ({ system_fingerprint: 'b9554' }), last: { timings: { prompt_n: 12, prompt_ms: 30.9, predicted_n: 60, predicted_ms: 661.1 } },
    refusals: ({ context }, tokens) => ({
      tools: error(500, 'server_error', 'tools param requires --jinja flag'),
      images: error(500, 'server_error', noMmproj),
      size: error(400, 'exceed_context_size_error', `request (${tokens} tokens) exceeds the available context size (${context} tokens), `
        + 'try increasing it', { n_prompt_tokens: tokens, n_ctx: context }),
      suffix: legacy ? error(500, 'server_error', 'Unsupported param: suffix') : undefined,
      embedding: error(501, 'not_supported_error', 'This server does not support embeddings. Start it with `--embeddings`'),
    }),
    breakStream: () => error(500, 'server_error', 'failed to process mtmd chunk').body,
    routes: {
      'GET /health': () => reply(200, { status: 'ok' }), 'GET /v1/models': modelList, 'GET /models': modelList, 'GET /props': props,
      'POST /infill': infill,
    },
    notFound: () => error(404, 'not_found_error', 'File Not Found'),
  };
}

function ollama(settings) {
  const { legacy } = settings;
  const types = { 400: 'invalid_request_error', 404: 'not_found_error' };
  const error = (status, message) => reply(status, { error: { message, type: types[status] ?? 'api_error', param: null, code: null } });
  const lackOf = ({ id }, capability) => `registry.ollama.ai/library/${id} does not support ${capability}`;
  const models = [
    model('qwen3:8b', 40_960, 'tools thinks', { family: 'qwen3' }), model('gemma3:270m', 32_768, '', { family: 'gemma3' }),
    model('qwen2.5vl:7b', 128_000, 'vision', { family: 'qwen25vl' }), model(coder, 32_768, 'insert', { family: 'qwen2' }),
    model('nomic-embed-text:latest', 2_048, 'embedding', { family: 'nomic-bert' }),
  ];
  const capabilities = (each) => [each.embedding ? 'embedding' : 'completion',
    ...traitNames(each, { tools: 'tools', insert: 'insert', vision: 'vision', thinks: 'thinking' })];
  const details = ({ family }) => ({ format: 'gguf', family, families: [family], parameter_size: '8.2B', quantization_level: 'Q4_K_M' });
  const tag = (each) => ({
    name: each.id, model: each.id, modified_at: '2025-10-09T10:00:00Z', size: 5_225_388_164, digest: '500a1f067a9f',
    ...(legacy ? { details: details(each) }
      : { details: { ...details(each), context_length: each.trained }, capabilities: capabilities(each) }),
  });
  const native = (run) => ({ body }, response) => {
    const each = byId(models, body.model);
    return each ? run(each, body, response) : reply(404, { error: `model '${body.model}' not found` });
  };
  const show = native((each) => reply(200, {
    template: '{{ .Prompt }}', parameters: '', details: details(each), capabilities: capabilities(each),
    model_info: { 'general.architecture': each.family, [`${each.family}.context_length`]: each.trained },
  }));
  const generate = native((each, body, response) => {
    if (body.suffix && !each.insert) return reply(400, { error: lackOf(each, 'insert') });
    const text = middleOf(body.prompt, body.suffix);
    const last = { model: each.id, response: '', done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 12 };
    if (body.stream === false) return reply(200, { ...last, response: text });
    const lines = [...chunksOf(text).map((part) => ({ model: each.id, response: part, done: false })), last];
    return sendEvents(response, settings, lines.map((line) => `${JSON.stringify(line)}\n`), 'application/x-ndjson');
  });
  const calls = wholeCall('call_a2b3c4d', !legacy);
  return {
    models, context: 4_096, emptyContent: '', hasCutPrompts: true, takesSuffix: true, hasZeroUsage: true,
    unknownModel: (id) => error(404, `model '${id}' not found`),
    extra: () => ({ system_fingerprint: 'fp_ollama' }),
    reasoning: (text) => ({ content: '', reasoning: text }),
    toolDeltas: (call, index) => calls(call, index).map((delta) => ({ content: '', ...delta })),
    validate(each, body) {
      const hasUrl = imageUrls(body).some((url) => url.startsWith('http'));
      if (hasUrl) return error(400, 'image URLs are not currently supported, please use base64 encoded data instead');
      const effort = body.reasoning_effort ?? body.reasoning?.effort ?? 'none';
      return effort === 'none' || each.thinks ? undefined : error(400, `"${each.id}" does not support thinking`);
    },
    refusals: (each) => ({
      tools: error(400, lackOf(each, 'tools')),
      images: error(500, JSON.stringify({ error: { code: 500, message: noMmproj, type: 'server_error' } })),
      suffix: each.insert ? undefined : error(400, lackOf(each, 'insert')),
      embedding: error(400, lackOf(each, 'embedding')),
    }),
    breakStream: (chunk) => ({ ...chunk({ content: '' }), model: '' }), // The text of the error is lost.
    routes: {
      'GET /api/version': () => reply(200, { version: legacy ? '0.12.0' : '0.33.0' }),
      'GET /v1/models': () => listOf(models.map(({ id }) => ({ id, object: 'model', created, owned_by: 'library' }))),
      'GET /api/tags': () => reply(200, { models: models.map(tag) }),
      'GET /api/ps': () => reply(200, { models: [{ name: models[0].id, model: models[0].id, context_length: models[0].context }] }),
      'POST /api/show': show, 'POST /api/generate': generate,
    },
    notFound: () => ({ status: 404, text: '404 page not found' }),
  };
}

function vllm({ legacy, embeddings }) {
  const error = (code, type, message, param = null) =>
    reply(code, legacy ? { object: 'error', message, type, param, code } : { error: { message, type, param, code } });
  const bad = (message, param) => error(400, 'BadRequestError', message, param);
  const models = embeddings ? [model('BAAI/bge-m3', 8_192, 'embedding')] : [
    model('Qwen/Qwen3-VL-8B-Instruct', 32_768, 'tools vision thinks'),
    model('sql-adapter', 32_768, 'tools vision', { parent: 'Qwen/Qwen3-VL-8B-Instruct' }),
  ];
  const record = ({ id, context, parent = null }) => ({ id, object: 'model', created, owned_by: 'vllm', root: id, parent,
    max_model_len: parent ? null : context, permission: [] });
  return {
    models, acceptsAny: (id) => !id, countsOutput: true, publicPaths: /^(?!\/v1)/, wrongKey: reply(401, { error: 'Unauthorized' }),
    role: 'own', firstDelta: { role: 'assistant', content: '' }, finishDelta: { content: '' }, hasDoneAfterError: true,
    choiceMore: (finish) => ({ logprobs: null, ...(finish && { stop_reason: null }) }),
    reasoning: (text) => (legacy ? { reasoning_content: text } : { reasoning: text }),
    toolDeltas: fragments('chatcmpl-tool-a1b2', {}),
    unknownModel: (id) => error(404, 'NotFoundError', `The model \`${id}\` does not exist.`, 'model'),
    validate(each, body) {
      if (body.stream_options && !body.stream) return bad('Stream options can only be defined when `stream=True`.', 'stream_options');
      if (legacy || body.tools?.length !== 0) return undefined;
      return bad('`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.', 'tools');
    },
    refusals: ({ id, context }, tokens, output) => ({
      tools: bad('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      images: bad(`${id} is not a multimodal model`),
      size: bad(`This model's maximum context length is ${context} tokens. However, you requested ${output} output tokens and your prompt `
        + `contains at least ${tokens} input tokens, for a total of at least ${tokens + output} tokens. Please reduce the length of `
        + 'the input prompt or the number of requested output tokens.', 'input_tokens'),
      suffix: bad('suffix is not currently supported'),
      embedding: bad('The model does not support Embeddings API'),
    }),
    breakStream: () => error(500, 'InternalServerError', 'EngineCore encountered an issue').body,
    routes: { 'GET /v1/models': () => listOf(models.map(record)) },
    notFound: () => reply(404, { detail: 'Not Found' }),
  };
}

function lmstudio({ legacy }) {
  const error = (status, code, message, param = null) => reply(status, { error: { message, type: 'invalid_request_error', param, code } });
  const models = [
    model('qwen/qwen3-4b', 262_144, 'tools thinks loaded'),
    model('openai/gpt-oss-20b', 131_072, 'tools thinks', { reasoningField: 'reasoning' }),
    model('gemma-2-2b-it', 8_192), model('qwen2-vl-7b-instruct', 32_768, 'vision'),
    model('text-embedding-nomic-embed-text-v1.5', 2_048, 'embedding'),
  ];
  const recordV0 = (each) => ({
    id: each.id, object: 'model', type: each.embedding ? 'embeddings' : each.vision ? 'vlm' : 'llm', publisher: 'lmstudio-community',
    arch: 'qwen', compatibility_type: 'gguf', quantization: 'Q4_K_M', state: each.loaded ? 'loaded' : 'not-loaded',
    max_context_length: each.trained, ...(each.loaded && { loaded_context_length: each.context }),
    ...(each.tools && { capabilities: ['tool_use'] }),
  });
  const recordV1 = (each) => ({
    type: each.embedding ? 'embedding' : 'llm', publisher: 'lmstudio-community', key: each.id, display_name: each.id, format: 'gguf',
    loaded_instances: each.loaded ? [{ id: each.id, config: { context_length: each.context } }] : [], max_context_length: each.trained,
    ...(!each.embedding && { capabilities: { vision: !!each.vision, trained_for_tool_use: !!each.tools,
      ...(each.thinks && { reasoning: { allowed_options: ['off', 'on'], default: 'on' } }) } }),
  });
  const notFound = (method, path) => reply(200, { error: `Unexpected endpoint or method. (${method} ${path})` });
  return {
    models, notFound, acceptsAny: () => legacy, context: 4_096,
    noKey: error(401, 'invalid_api_key', 'An LM Studio API token is required to make requests to this server, but none was provided using '
      + "the Authorization header using the 'Bearer' scheme."),
    wrongKey: error(401, 'invalid_api_key', 'Malformed LM Studio API token provided. Ensure you are using a valid token.'),
    role: 'every', hasErrorsInStream: true, toolDeltas: fragments('81489011'),
    extra: (each) => ({ system_fingerprint: each.id }),
    choiceMore: () => ({ logprobs: null }),
    reasoning: (text, each) => ({ [each.reasoningField ?? 'reasoning_content']: text }),
    unknownModel: (id) => error(400, 'model_not_found', `Invalid model identifier "${id}". Please specify a valid downloaded model `
      + `(e.g., ${models.map((each) => each.id).slice(0, 3).join(', ')}).`, 'model'),
    refusals: ({ context }, tokens) => ({
      images: reply(400, { error: 'Model does not support images. Please use a model that does.' }),
      size: reply(400, { error: 'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: '
        + `${tokens}>= n_ctx: ${context}). Try to load the model with a larger context length, or provide a shorter input.` }),
      embedding: reply(400, { error: 'Model is not embedding' }),
    }),
    breakStream: () => streamedError('The model has crashed without additional information. (Exit code: null)'),
    routes: {
      'GET /v1/models': () => listOf(models.map(({ id }) => ({ id, object: 'model', owned_by: 'organization_owner' }))),
      'GET /api/v0/models': () => listOf(models.map(recordV0)),
      'GET /api/v1/models': () => (legacy ? notFound('GET', '/api/v1/models') : reply(200, { models: models.map(recordV1) })),
    },
  };
}

function openrouter() {
  const error = (code, message, more) => reply(code, { error: { message, code, ...more } });
  const models = [
    model('openai/gpt-4o-mini', 128_000, 'tools vision', { prices: ['0.00000015', '0.0000006'] }),
    model('deepseek/deepseek-r1', 163_840, 'thinks', { prices: ['0.0000007', '0.0000025'] }),
    model('qwen/qwen3-coder:free', 262_144, 'tools', { prices: ['0', '0'] }), model('openrouter/auto', 2_000_000, 'tools', { prices: ['-1', '-1'] }),
    model('openai/text-embedding-3-small', 8_192, 'embedding', { prices: ['0.00000002', '0'] }),
  ];
  const record = (each) => ({
    id: each.id, canonical_slug: each.id, name: each.id, created, description: '', context_length: each.trained,
    architecture: { modality: 'text->text', input_modalities: each.vision ? ['text', 'image', 'file'] : ['text'],
      output_modalities: [each.embedding ? 'embeddings' : 'text'], tokenizer: 'Other', instruct_type: null },
    pricing: { prompt: each.prices[0], completion: each.prices[1], request: '0', image: '0' },
    top_provider: { context_length: each.context, max_completion_tokens: each.embedding ? null : 16_384, is_moderated: false },
    per_request_limits: null, default_parameters: null, expiration_date: null, supported_parameters: ['max_tokens', 'temperature',
      ...traitNames(each, { tools: ['tools', 'tool_choice'], thinks: ['reasoning', 'include_reasoning'] })],
    ...(each.thinks && { reasoning: { mandatory: false, default_enabled: true, supported_efforts: ['high', 'medium', 'low'] } }),
  });
  const modelList = ({ query }) => {
    const requested = (query.get('output_modalities') ?? 'text').split(',');
    const isRequested = ({ architecture }) => requested.includes('all') || requested.includes(architecture.output_modalities[0]);
    const data = models.map(record).filter(isRequested);
    return reply(200, { data, total_count: data.length, links: { next: null } });
  };
  return {
    models, prefix: '/api/v1', countsOutput: true, hasUsageAlways: true, usageMore: { cost: 0.00014, is_byok: false },
    publicPaths: /\/models$/, needsKey: true, noKey: error(401, 'Missing Authentication header'), wrongKey: error(401, 'User not found.'),
    role: 'every', comment: ': OPENROUTER PROCESSING\n\n', finishDelta: { content: '' }, toolDeltas: fragments('call_abc'),
    extra: () => ({ provider: 'OpenAI' }),
    choiceMore: (finish) => ({ native_finish_reason: finish, logprobs: null }),
    reasoning: (text) =>
      ({ content: '', reasoning: text, reasoning_details: [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }] }),
    unknownModel: (id) => reply(400, { error: { message: `${id} is not a valid model ID`, code: 400 }, user_id: 'user_1' }),
    refusals: ({ context }, tokens, output) => ({
      tools: error(404, 'No endpoints found that support tool use. To learn more about provider routing, visit: '
        + 'https://openrouter.ai/docs/guides/routing/provider-selection'),
      images: error(404, 'No endpoints found that support image input'),
      size: error(400, `This endpoint's maximum context length is ${context} tokens. However, you requested about ${tokens + output} tokens `
        + `(${tokens} of text input, ${output} in the output). Please reduce the length of either one, or use the context-compression `
        + 'plugin to compress your prompt automatically.', { metadata: { provider_name: null } }),
      embedding: error(404, 'No endpoints found for this model'),
    }),
    breakStream: (chunk) => ({ ...chunk({ content: '' }, 'error'),
      ...error(502, 'Provider disconnected unexpectedly', { metadata: { error_type: 'provider_unavailable' } }).body }),
    routes: {
      'GET /api/v1/models': modelList,
      'GET /api/v1/embeddings/models': () => reply(200, { data: models.filter((each) => each.embedding).map(record) }),
    },
    notFound: () => error(404, 'Not Found'),
  };
}

function litellm({ legacy }) {
  const error = (status, message, type = null, param = null) => reply(status, { error: { message, type, param, code: `${status}` } });
  const models = [
    model('gpt-4o', 128_000, 'tools vision', { backend: 'openai/gpt-4o', prices: [2.5e-6, 1e-5] }),
    model('local-qwen', 32_768, 'tools thinks unknown', { backend: 'hosted_vllm/Qwen/Qwen3-8B' }),
    model('llama2', 4_096, '', { backend: 'ollama/llama2', prices: [0, 0] }),
    model('text-embedding-3-small', 8_191, 'embedding', { backend: 'openai/text-embedding-3-small', prices: [2e-8, 0] }),
  ];
  const info = (each, index) => {
    const known = (value) => (each.unknown ? null : value);
    return { model_name: each.id, litellm_params: { model: each.backend }, model_info: {
      id: `deployment-${index}`, db_model: false, key: each.backend, mode: known(each.embedding ? 'embedding' : 'chat'),
      max_tokens: known(each.trained), max_input_tokens: known(each.context), max_output_tokens: known(4_096),
      input_cost_per_token: each.prices?.[0] ?? 0, output_cost_per_token: each.prices?.[1] ?? 0,
      supports_function_calling: known(!!each.tools), supports_vision: known(!!each.vision), supports_reasoning: known(!!each.thinks),
    } };
  };
  const modelInfo = () => reply(200, { data: models.map(info) });
  const onPaidPath = (status, message, type, param = 'None') => (path) => (/completions$|embeddings$/.test(path) ? error(status, message, type, param) : undefined);
  const spent = 'Budget has been exceeded! Current cost: 5.0, Max budget: 1.0';
  const otherModel = "key not allowed to access model. This key can only access models=['gpt-4o']. Tried to access local-qwen";
  const modelList = () => listOf(models.map(({ id }) => ({ id, object: 'model', created: 1_677_610_602, owned_by: 'openai' })));
  return {
    models, takesSuffix: true, toolDeltas: legacy ? wholeCall('call_', false) : fragments('call_'),
    noKey: error(401, 'Authentication Error, No api key passed in.', 'auth_error', 'None'), wrongKey: error(400, 'No connected db.'),
    limitedKeys: {
      'sk-spent': onPaidPath(400, spent, 'budget_exceeded'), 'sk-spent-429': onPaidPath(429, spent, 'budget_exceeded'),
      'sk-spent-401': onPaidPath(401, 'Authentication Error, ExceededTokenBudget: Current spend for token: 10.01; Max Budget for Token: 10.0', 'auth_error'),
      'sk-other-model': onPaidPath(401, otherModel, 'key_model_access_denied', 'model'),
      'sk-other-model-403': onPaidPath(403, otherModel, 'key_model_access_denied', 'model'),
      'sk-llm-api': (path) => (/\/info$/.test(path) ? error(403, 'Virtual key is not allowed to call this route. Only allowed to call routes: '
        + `['llm_api_routes']. Tried to call route: ${path}`, 'auth_error', 'None') : undefined),
    },
    unknownModel: (id, path) => error(400, `{'error': '${path.replace(/^\/v1/, '')}: Invalid model name passed in model=${id}. Call `
      + "`/v1/models` to view available models for your key.'}", 'None', 'None'),
    refusals: ({ id, backend, context }, tokens) => {
      const failed = (text) => error(400, `litellm.${text}. Received Model Group=${id}\nAvailable Model Group Fallbacks=None`);
      return {
        tools: failed(`UnsupportedParamsError: ${backend.split('/')[0]} does not support parameters: ['tools'], for model=${id}. To drop `
          + 'these, set `litellm.drop_params=True`'),
        images: failed(`BadRequestError: Hosted_vllmException - ${backend} is not a multimodal model`),
        size: failed('ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model\'s '
          + `maximum context length is ${context} tokens. However, your messages resulted in ${tokens} tokens`),
        embedding: failed('BadRequestError: the model does not create embeddings'),
      };
    },
    breakStream: () => error(500, 'litellm.APIConnectionError: APIConnectionError: OpenAIException - peer closed connection').body,
    routes: { 'GET /v1/models': modelList, 'GET /models': modelList, 'GET /model/info': modelInfo, 'GET /v1/model/info': modelInfo },
    notFound: () => reply(404, { detail: 'Not Found' }),
  };
}

const kinds = { llamacpp, ollama, vllm, lmstudio, openrouter, litellm };

const textOf = (content) =>
  (Array.isArray(content) ? content.map((part) => part.text ?? '').join('\n') : String(content ?? ''));
const imageUrls = ({ messages }) => messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  .filter((part) => part.type === 'image_url').map((part) => part.image_url?.url ?? String(part.image_url));

/**
 * Returns the tool calls that a text requests with `call NAME {json}`. Ignores tools that the request does not offer.
 */
function callsIn(text, names) {
  const calls = [];
  for (const match of text.matchAll(/\bcall\s+([\w.-]+)\s*(?=\{)/g)) {
    const start = match.index + match[0].length;
    for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
      try {
        const json = JSON.stringify(JSON.parse(text.slice(start, end + 1)));
        if (names.includes(match[1])) calls.push({ name: match[1], arguments: json });
        break;
      } catch {
        // A longer slice may be the whole object.
      }
    }
  }
  return calls;
}

/** Returns the answer to a chat request: text, reasoning, tool calls and finish reason. */
function answerTo({ settings }, each, body) {
  const { messages, tools = [], tool_choice: choice } = body;
  const last = messages.at(-1);
  const request = textOf(messages.findLast(({ role }) => role === 'user')?.content);
  const isResult = last?.role === 'tool';
  const calls = isResult || choice === 'none' ? [] : callsIn(request, tools.map((tool) => tool.function?.name));
  let reasoning = each.thinks ? 'The request is short, so a short answer is enough.' : '';
  let text = `Model ${each.id} of the ${settings.kind} test server received ${messages.length} messages, and the last user message has `
    + `${request.length} characters. This answer is fixed text of about sixty words, so that a client can show a stream, count its tokens `
    + 'and compare the result between runs. It contains no secrets, makes no claim about the world, and ends with a full stop, so that a '
    + 'missing end is easy to see.';
  if (isResult) text = `Model ${each.id} received this tool result: "${textOf(last.content).slice(0, 200)}"`;
  if (calls.length > 0) text = '';
  if (settings.thinkTags && reasoning) [text, reasoning] = [`<think>\n${reasoning}\n</think>\n\n${text}`, ''];
  const words = text.split(/(?<=\s)/);
  const limit = outputLimit(body) || Infinity;
  const hasNamedTool = settings.kind === 'vllm' && typeof choice === 'object';
  const finish = words.length > limit ? 'length' : calls.length > 0 && !hasNamedTool ? 'tool_calls' : 'stop';
  return { text: words.slice(0, limit).join(''), reasoning, calls, finish, isBroken: !isResult && /fail mid-stream/i.test(request) };
}

function refuseChat(kind, each, body, tokens) {
  const invalid = kind.validate?.(each, body);
  if (invalid) return invalid;
  const { tools, images, size } = kind.refusals(each, tokens, outputLimit(body));
  if (tools && !each.tools && body.tools?.length > 0 && body.tool_choice !== 'none') return tools;
  if (!each.vision && imageUrls(body).length > 0) return images;
  return tokens + (kind.countsOutput ? outputLimit(body) : 0) > each.context ? size : undefined;
}

function refuseKey({ kind, settings }, { path, headers }) {
  const key = bearerOf(headers) ?? headers[kind.keyHeader];
  const isExempt = !kind.wrongKey || kind.publicPaths?.test(path) || !(settings.key || kind.needsKey);
  const limited = kind.limitedKeys?.[key];
  if (!isExempt && limited) return limited(path);
  if (isExempt || (key !== undefined && key === (settings.key ?? key))) return undefined;
  return key === undefined && kind.noKey ? kind.noKey : kind.wrongKey;
}

/** Sends the answer to a chat request, either as a stream or as one JSON body. */
function chat(server, each, body, response) {
  const { kind, settings } = server;
  const measured = JSON.stringify([body.messages, body.tools ?? []], (key, value) => (key === 'url' ? '' : value));
  let tokens = Math.ceil(measured.length / 4);
  const refusal = refuseChat(kind, each, body, tokens);
  if (refusal && kind.hasErrorsInStream && body.stream) {
    return sendEvents(response, settings, [streamedError(refusal.body.error.message ?? refusal.body.error)]);
  }
  if (refusal) return refusal;
  if (kind.hasCutPrompts) tokens = Math.min(tokens, each.context);
  const { text, reasoning, calls, finish, isBroken } = answerTo(server, each, body);
  const spent = Math.max(1, Math.ceil((text.length + JSON.stringify(calls).length) / 4));
  const usage = { prompt_tokens: tokens, completion_tokens: spent, total_tokens: tokens + spent, ...kind.usageMore };
  const reasoningDelta = kind.reasoning ?? ((part) => ({ reasoning_content: part }));
  const id = `${settings.kind === 'openrouter' ? 'gen' : 'chatcmpl'}-${server.requests.length}`;
  const start = { id, object: 'chat.completion.chunk', created, model: each.id, ...kind.extra?.(each) };
  if (!body.stream) {
    const message = {
      role: 'assistant', ...(reasoning && reasoningDelta(reasoning, each)), content: text || (kind.emptyContent ?? null),
      ...(calls.length > 0 && { tool_calls: calls.map((call, at) => ({ id: `call_${at}`, type: 'function', function: call })) }),
    };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return reply(200, { ...start, object: 'chat.completion', choices, usage, ...kind.last });
  }
  const chunk = (delta, end = null) => ({ ...start, choices: [{ index: 0, delta, ...kind.choiceMore?.(end), finish_reason: end }] });
  let deltas = [
    ...chunksOf(reasoning).map((part) => reasoningDelta(part, each)), ...chunksOf(text).map((content) => ({ content })),
    ...calls.flatMap(kind.toolDeltas),
  ];
  // The role has a separate delta, or is part of the first one or of every one.
  if (kind.role === 'own') deltas.unshift(kind.firstDelta);
  else deltas = deltas.map((delta, at) => (at === 0 || kind.role === 'every' ? { role: 'assistant', ...delta } : delta));
  const comments = kind.comment ? [kind.comment] : [];
  if (isBroken) {
    const failure = kind.breakStream(chunk);
    const events = deltas.slice(0, 3).map((delta) => dataLine(chunk(delta)));
    events.push(typeof failure === 'string' ? failure : dataLine(failure), ...(kind.hasDoneAfterError ? [doneLine] : []));
    return sendEvents(response, settings, [...comments, ...events]);
  }
  const chunks = [...deltas.map((delta) => chunk(delta)), chunk(kind.finishDelta ?? {}, finish)];
  if (kind.hasUsageAlways || body.stream_options?.include_usage) chunks.push({ ...start, choices: [], usage });
  Object.assign(chunks.at(-1), kind.last);
  return sendEvents(response, settings, [...comments, ...chunks.map(dataLine), doneLine]);
}

/** Sends the answer to a text completion request. Uses `suffix` if this kind of server accepts it. */
function complete({ kind, settings }, each, body, response) {
  const refusal = body.suffix ? kind.refusals(each, 0, 0).suffix : undefined;
  if (refusal) return refusal;
  const text = middleOf(body.prompt, kind.takesSuffix ? body.suffix : undefined);
  const start = { id: 'cmpl-1', object: 'text_completion', created, model: each.id, ...kind.extra?.(each) };
  const usage = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
  const choices = (part, finish) => [{ text: part, index: 0, logprobs: null, finish_reason: finish }];
  if (!body.stream) return reply(200, { ...start, choices: choices(text, 'stop'), usage });
  const hasUsage = kind.hasUsageAlways || body.stream_options?.include_usage;
  const zeros = hasUsage && kind.hasZeroUsage ? { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } } : {};
  const chunks = chunksOf(text).map((part) => ({ ...start, choices: choices(part, null), ...zeros }));
  chunks.push({ ...start, choices: choices('', 'stop'), ...zeros });
  if (hasUsage) chunks.push({ ...start, choices: [], usage });
  return sendEvents(response, settings, [...chunks.map(dataLine), doneLine]);
}

/** Computes a unit vector of eight numbers that depends only on the text. */
function vectorOf(text) {
  const values = [...createHash('sha256').update(text).digest().subarray(0, 8)].map((byte) => byte / 127.5 - 1);
  return values.map((value) => Number((value / Math.hypot(...values)).toFixed(6)));
}

function embed({ kind }, each, body) {
  const encode = (vector) =>
    (body.encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector);
  const data = [body.input].flat().map((text, index) => ({ object: 'embedding', index, embedding: encode(vectorOf(String(text))) }));
  if (!each.embedding) return kind.refusals(each, 0, 0).embedding;
  return reply(200, { object: 'list', data, model: each.id, usage: { prompt_tokens: 4, total_tokens: 4 } });
}

async function sendEvents(response, { latency = 0 }, events, type = 'text/event-stream') {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  response.flushHeaders();
  const first = events.findIndex((event) => !event.startsWith(':'));
  for (const [at, event] of events.entries()) {
    if (latency > 0 && at >= first) await sleep(at === first ? latency : latency / 20);
    if (response.destroyed) return;
    response.write(event);
  }
  response.end();
}

async function handle(server, request, response) {
  const { kind, settings } = server;
  const { method } = request;
  const { pathname: path, searchParams: query } = new URL(request.url, 'http://127.0.0.1');
  const invalid = (message) => reply(400, { error: { message, type: 'invalid_request_error', param: null, code: null } });
  const parts = [];
  for await (const part of request) parts.push(part);
  let body = Buffer.concat(parts).toString('utf8');
  try {
    body = body === '' ? {} : JSON.parse(body);
  } catch {
    // The record contains the text as it arrived.
  }
  const headers = { ...request.headers };
  for (const name of ['authorization', 'x-api-key']) if (name in headers) headers[name] = 'redacted';
  server.requests.push({ method, path: request.url, headers, body });
  if (settings.record) appendFileSync(settings.record, `${JSON.stringify(server.requests.at(-1))}\n`);

  const call = { path, query, headers: request.headers, body };
  const refusal = refuseKey(server, call);
  if (refusal) return refusal;
  if (typeof body !== 'object' || body === null) return invalid('The body is not a JSON object.');
  const route = kind.routes[`${method} ${path}`];
  if (route) return route(call, response);
  const prefix = kind.prefix ?? '/v1';
  const hasShortPaths = ['llamacpp', 'litellm'].includes(settings.kind);
  const name = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : hasShortPaths ? path : '';
  const answer = method === 'POST' ? { '/chat/completions': chat, '/completions': complete, '/embeddings': embed }[name] : undefined;
  if (!answer) return kind.notFound(method, path);
  if (answer === chat && !Array.isArray(body.messages)) return invalid("'messages' is required");
  const each = byId(kind.models, body.model) ?? (kind.acceptsAny?.(body.model) ? kind.models[0] : undefined);
  return each ? answer(server, each, body, response) : kind.unknownModel(body.model, path);
}

/**
 * Starts a server on 127.0.0.1.
 * @param given `kind` and the command-line options in camel case. The options --no-tools and --no-vision are `tools:
 * false` and `vision: false`.
 */
export async function startPlainServer(given) {
  const settings = { port: 0, tools: true, vision: true, ...given };
  const kind = kinds[settings.kind](settings);
  for (const each of kind.models) {
    each.context = settings.context ?? kind.context ?? each.trained;
    each.tools &&= settings.tools;
    each.vision &&= settings.vision;
  }
  const server = { kind, settings, requests: [] };
  const http = createServer(async (request, response) => {
    const result = await handle(server, request, response).catch((error) => reply(500, { error: { message: String(error) } }));
    if (settings.verbose) console.error(`${request.method} ${request.url} ${result?.status ?? response.statusCode}`);
    if (!result) return;
    response.writeHead(result.status, { 'content-type': result.body ? 'application/json; charset=utf-8' : 'text/plain' });
    response.end(result.body ? JSON.stringify(result.body) : result.text);
  });
  await new Promise((resolve, reject) => {
    http.once('error', reject).listen(settings.port, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${http.address().port}`;
  const close = () => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  };
  const models = kind.models.map(({ id }) => id);
  return { origin, baseUrl: origin + (kind.prefix ?? '/v1'), kind: settings.kind, models, requests: server.requests, close };
}

const chatPath = 'chat/completions';
const image = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }];
/**
 * Expected refusals and traits of each kind. With the settings `limits`, the model `plain` accepts neither tools nor
 * images.
 */
const expectations = {
  llamacpp: { talker: 'any', plain: 'any', limits: { tools: false, vision: false }, tools: [500, /requires --jinja/], images: [500, /mmproj/],
    size: [400, /exceeds the available context size/], key: [401, /Invalid API Key/], suffix: [200, /after/], reasoning: 'reasoning_content' },
  ollama: { talker: 'qwen3:8b', plain: 'gemma3:270m', tools: [400, /does not support tools/], images: [500, /mmproj/], size: [200, /chat/],
    key: [200, /chat/], unknown: [404, /model 'nope' not found/], suffix: [400, /support insert/], reasoning: 'reasoning' },
  vllm: { talker: 'Qwen/Qwen3-VL-8B-Instruct', plain: 'sql-adapter', limits: { tools: false, vision: false },
    tools: [400, /tool choice requires/], images: [400, /not a multimodal model/], size: [400, /maximum context length is 50 tokens/],
    key: [401, /Unauthorized/], unknown: [404, /does not exist/], suffix: [400, /suffix is not currently supported/], reasoning: 'reasoning' },
  lmstudio: { talker: 'qwen/qwen3-4b', plain: 'gemma-2-2b-it', tools: [200, /chat/], images: [400, /does not support images/],
    size: [400, /tokens to keep/], key: [401, /Malformed LM Studio/], unknown: [400, /Invalid model identifier/], suffix: [200, /after/],
    reasoning: 'reasoning_content' },
  openrouter: { talker: 'deepseek/deepseek-r1', caller: 'openai/gpt-4o-mini', plain: 'deepseek/deepseek-r1', tools: [404, /support tool use/],
    images: [404, /support image input/], size: [400, /endpoint's maximum context length/], key: [401, /User not found/],
    unknown: [400, /not a valid model ID/], suffix: [200, /after/], reasoning: 'reasoning' },
  litellm: { talker: 'local-qwen', plain: 'llama2', tools: [400, /UnsupportedParamsError/], images: [400, /not a multimodal model/],
    size: [400, /ContextWindowExceededError/], key: [400, /No connected db/], unknown: [400, /Invalid model name passed in model=nope/],
    suffix: [200, /between/], reasoning: 'reasoning_content' },
};

/**
 * Checks of single requests: kind, name, settings, path, body, expected status, expected text and, if relevant, the
 * key.
 */
const singleChecks = [
  ['llamacpp', 'props', { context: 8_000 }, '/props', undefined, 200, /"n_ctx":8000.*"vision":true.*"supports_tools":true/],
  ['llamacpp', 'infill', {}, '/infill', { input_prefix: 'a', input_suffix: 'b' }, 200, /between/],
  ['llamacpp', 'embeddings off', {}, 'embeddings', { input: 'a' }, 501, /--embeddings/],
  ['llamacpp', 'embeddings', { embeddings: true }, 'embeddings', { input: ['a', 'a'] }, 200, /"embedding":(\[.+\])}.*"embedding":\1}/],
  ['llamacpp', 'public model list', { key: 'secret' }, 'models', undefined, 200, /"n_ctx_train":40960/, ''],
  ['llamacpp', 'router props', { router: true }, '/props', undefined, 200, /"role":"router".*"n_ctx":0/],
  ['llamacpp', 'router model', { router: true }, '/props?model=phi-4-Q4_K_M&autoload=false', undefined, 400, /model is not loaded/],
  ['llamacpp', 'router unknown', { router: true }, chatPath, { model: 'nope', messages: [] }, 400, /model 'nope' not found/],
  ['ollama', 'show', {}, '/api/show', { model: 'qwen3:8b' }, 200, /"tools","thinking".*"qwen3.context_length":40960/],
  ['ollama', 'tags', {}, '/api/tags', undefined, 200, /"context_length":2048},"capabilities":\["embedding"\]/],
  ['ollama', 'ps', {}, '/api/ps', undefined, 200, /"context_length":4096/],
  ['ollama', 'generate', {}, '/api/generate', { model: coder, prompt: 'a', suffix: 'b', stream: false }, 200, /between/],
  ['ollama', 'suffix of a FIM model', {}, 'completions', { model: coder, prompt: 'a', suffix: 'b' }, 200, /between/],
  ['vllm', 'flat error', { legacy: true }, chatPath, { model: 'nope', messages: [] }, 404, /^{"object":"error"/],
  ['vllm', 'adapter without size', {}, 'models', undefined, 200, /"max_model_len":32768.*"max_model_len":null/],
  ['vllm', 'empty tools', {}, chatPath, { tools: [], messages: [] }, 400, /must not be an empty array/],
  ['lmstudio', 'unknown path', {}, '/chat/completions', {}, 200, /^{"error":"Unexpected endpoint or method/],
  ['lmstudio', 'v0 list', {}, '/api/v0/models', undefined, 200, /"loaded_context_length":4096,"capabilities":\["tool_use"\]/],
  ['lmstudio', 'v1 list', {}, '/api/v1/models', undefined, 200, /"capabilities":{"vision":true/],
  ['lmstudio', 'refusal of a stream', {}, chatPath, { model: 'gemma-2-2b-it', stream: true, messages: image }, 200, /^event: error\n/],
  ['openrouter', 'prices', {}, 'models', undefined, 200, /"prompt":"0.00000015".*"prompt":"0".*"prompt":"-1"/, ''],
  ['openrouter', 'no key', {}, chatPath, { messages: [] }, 401, /Missing Authentication header/, ''],
  ['litellm', 'info', {}, '/model/info', undefined, 200, /"supports_vision":true.*"supports_vision":null/],
];

/**
 * Starts a server and calls `use` with it and with a function that sends requests. A path without a leading slash is
 * below the base URL.
 */
async function withServer(settings, use) {
  const server = await startPlainServer(settings);
  const send = async (path, body, key = 'k') => {
    const response = await fetch(path.startsWith('/') ? server.origin + path : `${server.baseUrl}/${path}`, {
      headers: key === '' ? {} : { authorization: `Bearer ${key}` }, ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const events = text.split('\n\n').filter((event) => event.startsWith('data: {')).map((event) => JSON.parse(event.slice(6)));
    return { status: response.status, text, events, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  try {
    await use(send, server);
  } finally {
    await server.close();
  }
}

/** Runs the checks of every kind and returns the number of failures. */
async function selfTest() {
  let passed = 0;
  const failures = [];
  const check = (name, isTrue) => (isTrue ? (passed += 1) : failures.push(name));
  const isLike = (answer, [status, pattern]) => answer.status === status && pattern.test(answer.text);
  const hasUsage = ({ events }) => events.some(({ usage }) => usage?.total_tokens > 0);
  const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }];
  const user = (content) => [{ role: 'user', content }];
  for (const [kind, expected] of Object.entries(expectations)) {
    const { talker, caller = talker, plain, limits } = expected;
    await withServer({ kind }, async (send, server) => {
      const hello = { model: talker, stream: true, messages: user('Hello') };
      const models = await send('models');
      check(`${kind}: model list`, models.status === 200 && models.json.data.some(({ id }) => id === server.models[0]));
      const streamed = await send(chatPath, hello);
      const deltas = streamed.events.map(({ choices }) => choices[0]?.delta ?? {});
      const text = deltas.map((delta) => delta.content ?? '').join('');
      check(`${kind}: streamed text of about 60 words`, text.split(/\s+/).length > 50 && text.startsWith('Model '));
      check(`${kind}: reasoning field`, deltas.some((delta) => delta[expected.reasoning]?.includes('request')));
      check(`${kind}: end of stream`, streamed.text.endsWith(doneLine));
      check(`${kind}: comment line`, streamed.text.startsWith(':') === ['llamacpp', 'openrouter'].includes(kind));
      check(`${kind}: usage without include_usage`, hasUsage(streamed) === (kind === 'openrouter'));
      check(`${kind}: usage with include_usage`, hasUsage(await send(chatPath, { ...hello, stream_options: { include_usage: true } })));
      const asked = { model: caller, tools, messages: user('call read_file {"path": "a}b"} and call read_file {"path": "c"}') };
      const called = await send(chatPath, { ...asked, stream: true });
      const calls = [];
      for (const { index, function: part } of called.events.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])) {
        calls[index] = (calls[index] ?? '') + (part.arguments ?? '');
      }
      check(`${kind}: two streamed tool calls`, calls.join() === '{"path":"a}b"},{"path":"c"}');
      check(`${kind}: finish reason of a call`, called.text.includes('"finish_reason":"tool_calls"'));
      check(`${kind}: whole tool call`, (await send(chatPath, asked)).json.choices[0].message.tool_calls[1].function.name === 'read_file');
      const result = { role: 'tool', tool_call_id: 'call_0', content: `${'x'.repeat(200)}yyy` };
      const quoted = await send(chatPath, { ...asked, messages: [...asked.messages, result] });
      check(`${kind}: tool result`, /"x{200}"$/.test(quoted.json.choices[0].message.content));
      const broken = await send(chatPath, { ...hello, messages: user('fail mid-stream') });
      check(`${kind}: error in a stream`, broken.status === 200 && /"error"/.test(broken.text) === (kind !== 'ollama'));
      check(`${kind}: end after an error`, broken.text.includes('[DONE]') === (kind === 'vllm'));
      if (expected.unknown) check(`${kind}: unknown model`, isLike(await send(chatPath, { ...hello, model: 'nope', stream: false }), expected.unknown));
      check(`${kind}: suffix`, isLike(await send('completions', { model: talker, prompt: 'a(', suffix: ')' }), expected.suffix));
      check(`${kind}: recorded requests`, server.requests.length > 7 && !JSON.stringify(server.requests).includes('Bearer'));
    });
    await withServer({ kind, ...limits }, async (send) => {
      check(`${kind}: tools refused`, isLike(await send(chatPath, { model: plain, tools, messages: user('x') }), expected.tools));
      check(`${kind}: images refused`, isLike(await send(chatPath, { model: plain, messages: image }), expected.images));
    });
    await withServer({ kind, context: 50, key: 'secret' }, async (send) => {
      check(`${kind}: long prompt`, isLike(await send(chatPath, { model: plain, messages: user('word '.repeat(200)) }, 'secret'), expected.size));
      check(`${kind}: wrong key`, isLike(await send(chatPath, { model: plain, messages: user('x') }, 'wrong'), expected.key));
    });
  }
  for (const [kind, name, settings, requestPath, body, status, pattern, key] of singleChecks) {
    await withServer({ kind, ...settings }, async (send) => {
      check(`${kind}: ${name}`, isLike(await send(requestPath, body, key), [status, pattern]));
    });
  }
  for (const name of failures) console.error(`failed: ${name}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length;
}

async function main() {
  const [flag, text] = [{ type: 'boolean' }, { type: 'string' }];
  const { values } = parseArgs({ options: {
    kind: text, port: text, context: text, key: text, latency: text, record: text, 'no-tools': flag, 'no-vision': flag,
    router: flag, embeddings: flag, legacy: flag, 'think-tags': flag, verbose: flag, 'self-test': flag,
  } });
  if (values['self-test']) {
    process.exitCode = (await selfTest()) === 0 ? 0 : 1;
  } else if (Object.hasOwn(kinds, values.kind ?? '')) {
    const numbers = ['port', 'context', 'latency'].filter((name) => name in values).map((name) => [name, Number(values[name])]);
    const { baseUrl, kind, models } = await startPlainServer({
      ...values, ...Object.fromEntries(numbers), tools: !values['no-tools'], vision: !values['no-vision'], thinkTags: values['think-tags'],
    });
    console.log(JSON.stringify({ baseUrl, kind, models }));
  } else {
    console.error(`Usage: plain-server.mjs --kind ${Object.keys(kinds).join('|')} [options]. The header lists the options.`);
    process.exitCode = 2;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
