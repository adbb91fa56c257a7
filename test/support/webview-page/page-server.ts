import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pageHtml, pagePolicy, themeCss, type ThemeName, themeNames } from './page-html.ts';

const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

export interface PageServer {
  /** The chat alone in a page, in the colours of `theme`. */
  url(theme: ThemeName): string;
  close(): Promise<void>;
}

/** Serves the built webview in `dist` on the loopback address, as the host would: same policy, fake `acquireVsCodeApi`. */
export async function startPageServer(dist: string): Promise<PageServer> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://page');
    const theme = themeNames.find((each) => each === searchParams.get('theme')) ?? 'dark';
    if (pathname === '/') return sendPage(response, theme);
    if (pathname === '/theme.css')
      return response.setHeader('content-type', 'text/css').end(themeCss(theme));
    void sendFile(response, join(dist, normalize(pathname)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: (theme) => `http://127.0.0.1:${port}/?theme=${theme}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendPage(response: ServerResponse, theme: ThemeName): void {
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
