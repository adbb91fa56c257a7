import type { FastifyInstance, FastifyRequest } from 'fastify';
import { recordBody } from './control/record-hooks.ts';
import { ApiError } from './api-error.ts';
import type { ServiceState } from './service-state.ts';

/** Fields that contain text in a form, but a number in a JSON body. */
const numberFields = new Set(['scale', 'creativity']);
const booleanFields = new Set([
  'safe_mode',
  'enhance_prompt',
  'disable_prompt_optimization_thinking',
]);

/** Fields that can occur several times in a form, but contain an array in a JSON body. */
const listFields = new Set(['images']);

/**
 * Makes all routes of this scope accept forms. A parsed form equals the JSON body, except that files are bytes instead
 * of base64.
 */
export function acceptForms(scope: FastifyInstance, state: ServiceState): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer): Promise<Record<string, unknown>> => {
      const parts = await parseParts(bytes, request.headers['content-type'] ?? '');
      recordBody(state, request, JSON.stringify(summarizeParts(parts)));
      return collectFields(parts);
    },
  );
}

interface FormPart {
  readonly name: string;
  readonly value: string | Buffer;
}

async function parseParts(bytes: Buffer, contentType: string): Promise<FormPart[]> {
  const headers = { 'content-type': contentType };
  const form = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => {
    throw new ApiError(400, 'Invalid multipart request');
  });
  return Promise.all(
    [...form].map(async ([name, value]) => {
      if (typeof value === 'string') return { name, value };
      return { name, value: Buffer.from(await value.arrayBuffer()) };
    }),
  );
}

function collectFields(parts: readonly FormPart[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { name, value } of parts) {
    const previousValue = body[name];
    const parsedValue = typeof value === 'string' ? parseValue(name, value) : value;
    body[name] = listFields.has(name)
      ? [...(Array.isArray(previousValue) ? previousValue : []), parsedValue]
      : parsedValue;
  }
  return body;
}

function parseValue(name: string, text: string): unknown {
  if (numberFields.has(name) && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (booleanFields.has(name) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Summarizes a form for the request log. Files appear as their size in bytes. */
const summarizeParts = (parts: readonly FormPart[]): readonly object[] =>
  parts.map(({ name, value }) =>
    typeof value === 'string' ? { name, value } : { name, bytes: value.length },
  );
