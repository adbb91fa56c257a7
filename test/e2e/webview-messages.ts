import type { Page } from 'playwright-core';

/** Records all messages from and to the page's webviews as JSON. Call it before the page opens. */
export async function recordWebviewMessages(page: Page): Promise<readonly string[]> {
  const messages: string[] = [];
  await page.exposeFunction('recordWebviewMessage', (text: string) => messages.push(text));
  await page.addInitScript(recordInFrame);
  return messages;
}

/**
 * Runs in every frame. VS Code reopens a webview's document, which removes all listeners, so the recorder attaches
 * together with the page's first listener.
 */
function recordInFrame(): void {
  const page = globalThis as typeof globalThis & { recordWebviewMessage(text: string): void };
  const listen = globalThis.addEventListener.bind(globalThis) as (...values: unknown[]) => void;
  const record = (event: MessageEvent): void =>
    page.recordWebviewMessage(JSON.stringify(event.data) ?? '');
  globalThis.addEventListener = (...values: unknown[]): void => {
    if (values[0] === 'message') listen('message', record);
    listen(...values);
  };
}
