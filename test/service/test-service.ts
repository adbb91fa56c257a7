import { expect, onTestFinished } from 'vitest';
import { Control } from './control.ts';
import { ReplyChecker, type SentReply } from './openapi/reply-checker.ts';
import { createDocument } from './openapi/document.ts';
import { type LocalService, type LocalServiceOptions, startLocalService } from './server.ts';
import { VendorNaming } from './vendor-naming.ts';

/**
 * Starts a service for one test, and creates a client for its control plane. Default pace: instant. The test fails if a
 * reply does not match the OpenAPI document.
 */
export async function startTestService(
  options: LocalServiceOptions = {},
): Promise<LocalService & { readonly control: Control }> {
  const { onReply, problems } = createReplyCheck(options.vendorPrefix);
  const service = await startLocalService({ pace: 'instant', onReply, ...options });
  onTestFinished(async () => {
    await service.stop();
    expect(problems).toEqual([]);
  });
  return Object.assign(service, { control: new Control(service.controlUrl) });
}

const checkers = new Map<string, ReplyChecker>();

/**
 * Returns the callback `onReply`, which compares replies with the OpenAPI document, and the list `problems` of all
 * differences. Pass `onReply` to the service, and assert at the end that `problems` is empty.
 */
export function createReplyCheck(vendorPrefix = 'service') {
  const checker =
    checkers.get(vendorPrefix) ?? new ReplyChecker(createDocument(new VendorNaming(vendorPrefix)));
  checkers.set(vendorPrefix, checker);
  const problems: string[] = [];
  const onReply = (reply: SentReply): void => {
    problems.push(...checker.findProblems(reply));
  };
  return { onReply, problems };
}

interface PostInit {
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts the body to `/chat/completions`. */
export function postChat(
  service: LocalService,
  body: unknown,
  init: PostInit = {},
): Promise<Response> {
  return postJson(service, { path: '/chat/completions', body }, init);
}

/** Posts to `/image/generate`. Fields of the body replace the default model and prompt. */
export function postImage(
  service: LocalService,
  body: object,
  init: PostInit = {},
): Promise<Response> {
  const fullBody = { model: 'default', prompt: 'A red boat at dawn', ...body };
  return postJson(service, { path: '/image/generate', body: fullBody }, init);
}

/** Posts an object as JSON, or a string unchanged. Uses the API key of the service. */
export function postJson(
  service: LocalService,
  { path, body }: { readonly path: string; readonly body: unknown },
  init: PostInit = {},
): Promise<Response> {
  return fetch(`${service.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${init.key ?? service.apiKey}`,
      'content-type': 'application/json',
      ...init.headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
    ...(init.signal && { signal: init.signal }),
  });
}

/** Creates a minimal chat body with one user message. */
export const createChatRequest = (content: string, overrides: object = {}) => ({
  model: 'default',
  messages: [{ role: 'user', content }],
  ...overrides,
});

/** Parses the data of all events in a stream, except for `[DONE]`. */
export function parseEvents(text: string): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .map((event) => event.replace(/^event: .*\n/, ''))
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
}
