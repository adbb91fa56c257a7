import * as l10n from '@vscode/l10n';
import { ServiceError } from './failure.ts';

/** Whether `key` can stand in a header: 8 to 512 visible ASCII characters. */
export const isApiKey = (key: string): boolean => /^[\x21-\x7e]{8,512}$/.test(key);

/**
 * The key as it is, when it can stand in a header. The message never holds any part of it.
 * @throws ServiceError `invalid-key`
 */
export function checkApiKey(key: string): string {
  if (isApiKey(key)) return key;
  throw new ServiceError({
    code: 'invalid-key',
    message: l10n.t(
      'This is not an API key: a key has 8 to 512 visible ASCII characters and no spaces or line breaks. Copy it again and set it anew.',
    ),
  });
}
