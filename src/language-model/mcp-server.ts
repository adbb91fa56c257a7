import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool as McpToolDefinition,
} from '@modelcontextprotocol/sdk/types.js';
import { createId } from '../base/ids.ts';
import { isRecord } from '../base/json.ts';
import type { ToolImage } from '../conversation/tool-run.ts';
import type { Cost } from '../service/chat/chat-types.ts';
import { ServiceError } from '../service/http/failure.ts';
import { mayBeCharged } from '../image/image-generator.ts';
import type { Log } from '../platform/log.ts';
import { getSingleHeader } from '../platform/pages/page-server.ts';
import { ToolError } from '../workspace/tool-error.ts';
import { toToolError } from './tools/native-tool.ts';

/** Tool that other programs can call through the MCP server. */
export interface ServedTool {
  readonly definition: McpToolDefinition;
  /**
   * Plans a call and returns it without running it.
   * @throws ToolError if the input is invalid or the call is not allowed. The message is for the model.
   */
  plan(input: Readonly<Record<string, unknown>>): Promise<ServedCall>;
}

export interface ServedCall {
  /** Question that asks the user to approve the call. Undefined for a call that needs no approval. */
  readonly question?: string;
  /** All content that the call sends. The approval dialog shows this content below the question. */
  readonly detail: string;
  /** Expected cost of the call in US dollars; absent if it is unknown. */
  readonly expectedCost?: number;
  run(signal: AbortSignal): Promise<ServedResult>;
}

export interface ServedResult {
  readonly text: string;
  readonly images?: readonly ToolImage[];
  readonly cost?: Cost;
}

export interface McpServerOptions {
  readonly listTools: () => readonly ServedTool[];
  /** Prompts the user to approve a call, in the window that runs the server. */
  readonly confirmCall: (call: ServedCall) => Promise<boolean>;
  /** Maximum total cost of all calls, as the sum of US dollars and DIEM; 0 means no limit. */
  readonly getMaxCost: () => number;
  readonly log: Pick<Log, 'error'>;
}

/** Running MCP server, with the data that a client needs to connect. */
export interface McpServer {
  readonly url: string;
  /** Value of the `Authorization` header that every request needs. */
  readonly authorization: string;
  dispose(): void;
}

const maxBodyBytes = 1_000_000;

/**
 * Starts an MCP server on a free port of 127.0.0.1. Rejects requests without the random token, requests for another
 * host name (DNS rebinding), and requests from web pages, which have an `Origin` header. Runs calls that need an
 * approval one at a time, so that simultaneous calls cannot exceed the cost limit.
 */
export async function startMcpServer(options: McpServerOptions): Promise<McpServer> {
  const callQueue = new CallQueue(options);
  const authorization = `Bearer ${randomBytes(32).toString('base64url')}`;
  let host = '';
  const server = createServer((request, response) => {
    const status = getRejectionStatus(request, { host, authorization });
    if (status !== undefined) return void response.writeHead(status).end();
    serveRequest(request, response, { callQueue, options }).catch((error: unknown) => {
      options.log.error('Could not answer a request to the tool server', error);
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  host = `127.0.0.1:${address.port}`;
  return {
    url: `http://${host}/mcp`,
    authorization,
    dispose: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function getRejectionStatus(
  request: IncomingMessage,
  expected: { readonly host: string; readonly authorization: string },
): number | undefined {
  if (getSingleHeader(request, 'host')?.toLowerCase() !== expected.host) return 421;
  if (request.headers.origin !== undefined) return 403;
  const givenToken = Buffer.from(getSingleHeader(request, 'authorization') ?? '');
  const expectedToken = Buffer.from(expected.authorization);
  if (givenToken.length !== expectedToken.length || !timingSafeEqual(givenToken, expectedToken))
    return 401;
  if (request.url !== '/mcp') return 404;
  return request.method === 'POST' ? undefined : 405;
}

interface ServeContext {
  readonly callQueue: CallQueue;
  readonly options: McpServerOptions;
}

/**
 * Answers one HTTP request. Creates a separate MCP server object for each request, because the sessions of the protocol
 * are not used.
 */
async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { callQueue, options }: ServeContext,
): Promise<void> {
  const body = await readBody(request);
  const sessionId = getSingleHeader(request, sessionHeader) ?? '';
  for (const message of [body].flat()) {
    const { method, params } = readMessage(message);
    // A client cancels a call by a separate request, which names the call only by its id.
    if (method === 'notifications/cancelled')
      callQueue.cancel(createCallKey(sessionId, params['requestId']));
    if (method === 'initialize') response.setHeader(sessionHeader, createId());
  }
  const server = new Server(
    { name: 'inference-service', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: options.listTools().map(({ definition }) => definition),
  }));
  const closeController = new AbortController();
  response.on('close', () => closeController.abort());
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, requestId }) =>
    callQueue.run(params, {
      key: createCallKey(sessionId, requestId),
      signal: AbortSignal.any([signal, closeController.signal]),
    }),
  );
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}

/**
 * Name of the header with a random id. Each client receives its own id and repeats it in every request, so that clients
 * cannot cancel calls of other clients.
 */
const sessionHeader = 'mcp-session-id';

const createCallKey = (session: string, requestId: unknown): string =>
  JSON.stringify([session, requestId]);

function readMessage(message: unknown): {
  readonly method?: unknown;
  readonly params: Readonly<Record<string, unknown>>;
} {
  if (!isRecord(message)) return { params: {} };
  const { method, params } = message;
  return { method, params: isRecord(params) ? params : {} };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('The request is too large.');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/**
 * Maximum number of calls that are planned at the same time. Also the maximum number of calls that need no approval and
 * run at the same time.
 */
const maxParallelCalls = 4;

/** Runs a limited number of tasks at the same time. */
class TaskSlots {
  #runningCount = 0;
  readonly #waitingTasks = new Set<() => void>();

  /**
   * Runs a task as soon as fewer than {@link maxParallelCalls} other tasks are running.
   * @throws ToolError if the signal aborts before the task starts
   */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#runningCount < maxParallelCalls) this.#runningCount += 1;
    else await this.#waitForSlot(signal);
    try {
      return await task();
    } finally {
      const [nextTask] = this.#waitingTasks;
      if (nextTask === undefined) this.#runningCount -= 1;
      else nextTask();
    }
  }

  /** Waits until a running task has ended and this task is next. */
  #waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const startTask = (): void => {
        this.#waitingTasks.delete(startTask);
        resolve();
      };
      this.#waitingTasks.add(startTask);
      const cancelWait = (): void => {
        if (this.#waitingTasks.delete(startTask)) reject(createCancellationError());
      };
      if (signal.aborted) cancelWait();
      else signal.addEventListener('abort', cancelWait, { once: true });
    });
  }
}

/**
 * Runs calls that need an approval one at a time, and rejects them when the cost limit is reached. Runs other calls at
 * the same time, up to {@link maxParallelCalls}.
 */
class CallQueue {
  readonly #options: McpServerOptions;
  #lastCallPromise: Promise<unknown> = Promise.resolve();
  readonly #planSlots = new TaskSlots();
  readonly #runSlots = new TaskSlots();
  readonly #activeCalls = new Set<{
    readonly key: string;
    readonly abortController: AbortController;
  }>();
  #spentAmount = 0;

  constructor(options: McpServerOptions) {
    this.#options = options;
  }

  /**
   * Cancels the call with this key, even while the call waits for other calls or for the user's approval. Does nothing
   * if several calls have the key. Clients without a session header can cause this, because they can use the same
   * request ids.
   */
  cancel(key: string): void {
    const [call, ...otherCalls] = [...this.#activeCalls].filter(
      (activeCall) => activeCall.key === key,
    );
    if (otherCalls.length === 0) call?.abortController.abort();
  }

  /** @param options.key Key with which a client can cancel the call. */
  async run(
    { name, arguments: input = {} }: CallToolRequest['params'],
    { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<CallToolResult> {
    const abortController = new AbortController();
    const activeCall = { key, abortController };
    this.#activeCalls.add(activeCall);
    try {
      const tool = this.#options.listTools().find(({ definition }) => definition.name === name);
      if (tool === undefined) return createFailedResult('There is no such tool.');
      return await this.#runTool(tool, input, AbortSignal.any([signal, abortController.signal]));
    } catch (error) {
      if (!(error instanceof ToolError) && !(error instanceof ServiceError))
        this.#options.log.error(`Could not run the tool ${name}`, error);
      return createFailedResult(toToolError(error).message);
    } finally {
      this.#activeCalls.delete(activeCall);
    }
  }

  async #runTool(
    tool: ServedTool,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const call = await this.#planSlots.run(() => tool.plan(input), signal);
    if (call.question === undefined)
      return this.#runSlots.run(() => this.#runCall(call, signal), signal);
    const resultPromise = this.#lastCallPromise.then(() =>
      this.#runAfterApproval(tool, input, signal),
    );
    this.#lastCallPromise = resultPromise.catch(() => {});
    return (
      (await Promise.race([resultPromise, waitForAbort(signal)])) ||
      createFailedResult(canceledText)
    );
  }

  /** Runs a call after the user's approval. Plans the call again, because prices can change while the call waits. */
  async #runAfterApproval(
    tool: ServedTool,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    if (signal.aborted) throw createCancellationError();
    const call = await tool.plan(input);
    if (call.question === undefined) return this.#runCall(call, signal);
    const maxCost = this.#options.getMaxCost();
    const expectedAmount = this.#spentAmount + (call.expectedCost ?? 0);
    if (maxCost > 0 && (expectedAmount > maxCost || this.#spentAmount >= maxCost))
      return createFailedResult('The cost limit of this window is reached. Nothing was sent.');
    // The dialog stays open after a cancellation, but does not delay the next call.
    const isApproved = await Promise.race([this.#options.confirmCall(call), waitForAbort(signal)]);
    if (!isApproved && !signal.aborted) return createFailedResult('The user denied the call.');
    return this.#runCall(call, signal);
  }

  async #runCall(call: ServedCall, signal: AbortSignal): Promise<CallToolResult> {
    if (signal.aborted) throw createCancellationError();
    const { text, images = [] } = await this.#runAndCountCost(call, signal);
    return {
      content: [
        { type: 'text', text },
        ...images.map(
          ({ data, mediaType }) => ({ type: 'image', data, mimeType: mediaType }) as const,
        ),
      ],
    };
  }

  /**
   * Runs a call and adds its cost to the total. For a failed call, adds the expected cost if the service may charge for
   * the call.
   */
  async #runAndCountCost(call: ServedCall, signal: AbortSignal): Promise<ServedResult> {
    try {
      const result = await call.run(signal);
      this.#spentAmount += (result.cost?.usd ?? 0) + (result.cost?.diem ?? 0);
      return result;
    } catch (error) {
      const code = error instanceof ServiceError ? error.failure.code : undefined;
      if (mayBeCharged(code)) this.#spentAmount += call.expectedCost ?? 0;
      throw error;
    }
  }
}

/** Resolves to false when the call is canceled. */
const waitForAbort = (signal: AbortSignal): Promise<false> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener('abort', () => resolve(false), { once: true });
  });

const canceledText = 'The call was canceled.';
const createCancellationError = (): ToolError => new ToolError('stopped', canceledText);

const createFailedResult = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});
