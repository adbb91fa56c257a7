import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import sharp from 'sharp';
import {
  createPageHtml,
  type PageName,
  contentSecurityPolicy,
  createThemeCss,
  type ThemeName,
  themeNames,
} from './page-html.ts';
import { drawImage } from './studio-images.ts';

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

export interface PageServer {
  /** Returns a new URL of a page with the colors of `theme`. Default page: the chat. */
  createPageUrl(theme: ThemeName, page?: PageName): string;
  close(): Promise<void>;
}

/**
 * Serves the webviews in `distFolder` on the loopback address, with the content security policy of the host and a fake
 * `acquireVsCodeApi`. Also serves generated images.
 */
export async function startPageServer(distFolder: string): Promise<PageServer> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://page');
    const theme = themeNames.find((themeName) => themeName === searchParams.get('theme')) ?? 'dark';
    const page = searchParams.get('page') === 'studio' ? 'studio' : 'chat';
    if (pathname === '/') return sendPage(response, theme, page);
    if (pathname === '/theme.css')
      return response.setHeader('content-type', 'text/css').end(createThemeCss(theme, page));
    const svg = drawImage(pathname);
    if (svg !== undefined) return response.setHeader('content-type', 'image/svg+xml').end(svg);
    const webpSource = drawImage(pathname.replace(/\.webp$/u, '.svg'));
    if (webpSource !== undefined) return void sendWebp(response, webpSource);
    void sendFile(response, join(distFolder, normalize(pathname)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let loadCount = 0;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    createPageUrl: (theme, page = 'chat') => {
      loadCount += 1;
      return `http://127.0.0.1:${port}/?theme=${theme}&page=${page}&load=${loadCount}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendPage(response: ServerResponse, theme: ThemeName, page: PageName): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-security-policy', contentSecurityPolicy);
  response.end(createPageHtml(theme, page));
}

/** Sends a generated SVG image as WebP. Used for pages that read the bytes of their images. */
async function sendWebp(response: ServerResponse, svg: string): Promise<void> {
  const bytes = await sharp(Buffer.from(svg)).webp().toBuffer();
  response.setHeader('content-type', 'image/webp').end(bytes);
}

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  try {
    const bytes = await readFile(path);
    response.setHeader('content-type', contentTypes[extname(path)] ?? 'application/octet-stream');
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}
