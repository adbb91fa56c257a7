import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { pageHtml, pagePolicy } from './page-html.ts';

const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

export interface PageServer {
  /** The chat alone in a page, in the colours of `theme`. */
  url(theme: string): string;
  close(): Promise<void>;
}

/** Serves the built webview in `dist` on the loopback address, as the host would: same policy, fake `acquireVsCodeApi`. */
export async function startPageServer(dist: string): Promise<PageServer> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://page');
    if (pathname === '/') return sendPage(response, searchParams.get('theme') ?? 'dark');
    void sendFile(response, join(dist, normalize(pathname)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (theme) => `http://127.0.0.1:${port}/?theme=${theme}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendPage(response: ServerResponse, theme: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-security-policy', pagePolicy);
  response.end(pageHtml(theme));
}

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  try {
    const bytes = await readFile(path);
    response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}
