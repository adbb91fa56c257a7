import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.ts';
import type { WebPage } from '../web/page.ts';
import { findPage } from '../web/built-in-web.ts';

/** Serves the pages that citations link to. */
export function addPageRoutes(app: FastifyInstance): void {
  app.get('/pages/*', async (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    const page = findPage(`https://${path}`);
    if (page === undefined) throw new ApiError(404, 'Not found');
    return reply.type('text/html; charset=utf-8').send(toHtml(page));
  });
}

const toHtml = ({ title, date, text }: WebPage): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>`,
    `<body><article><h1>${escapeHtml(title)}</h1><p><time datetime="${date}">${date}</time></p>`,
    ...text.split('\n\n').map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    '</article></body></html>',
  ].join('\n');

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
