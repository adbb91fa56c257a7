import { looksSecret } from '../../chat/secret-file.ts';
import { foldPath } from './path-names.ts';

/** Whether a file is commonly one of keys or passwords, by its name alone, however that is written. */
export const isSecretPath = (path: string): boolean =>
  looksSecret(path) || looksSecret(foldPath(path));
