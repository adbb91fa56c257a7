import { onTestFinished } from 'vitest';
import { Control } from './control.ts';
import { type LocalService, type LocalServiceOptions, startLocalService } from './server.ts';

/** A service of this test alone, writing at once unless said otherwise, with its control. */
export async function startForTest(
  options: LocalServiceOptions = {},
): Promise<LocalService & { readonly control: Control }> {
  const service = await startLocalService({ pace: 'instant', ...options });
  onTestFinished(() => service.stop());
  return Object.assign(service, { control: new Control(service.controlUrl) });
}

/** A chat request as raw as a test wants it. */
export function postChat(
  service: LocalService,
  body: unknown,
  init: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${init.key ?? service.apiKey}`,
      'content-type': 'application/json',
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
    ...(init.signal && { signal: init.signal }),
  });
}

/** The smallest valid chat body. */
export const ask = (content: string, more: object = {}) => ({
  model: 'default',
  messages: [{ role: 'user', content }],
  ...more,
});

/** The data of every event of a stream, `[DONE]` left out. */
export function eventsOf(text: string): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Record<string, unknown>);
}
