import { isRecord } from '../../base/json.ts';
import { notUnderstood, readJson } from '../http/reply.ts';
import type { ServiceContext } from '../http/client.ts';
import { secretsOf, send } from '../http/request.ts';

const mostStyles = 1_000;
const longestStyle = 128;

/**
 * The names that a style preset can have (spec §4.6), each once, in the service's order. What is no name is left out.
 * @throws ServiceError
 */
export async function listImageStyles(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<readonly string[]> {
  const reply = await send(context, { method: 'GET', path: '/image/styles' }, signal);
  const secrets = secretsOf(reply.endpoint);
  const json = await readJson(reply.body, { maxBytes: 1024 * 1024, secrets });
  const styles = isRecord(json) ? json['data'] : json;
  if (!Array.isArray(styles)) throw notUnderstood(JSON.stringify(json), secrets);
  return [...new Set(styles.filter(isStyle))].slice(0, mostStyles);
}

const isStyle = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longestStyle;
