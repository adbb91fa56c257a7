import * as l10n from '@vscode/l10n';
import { setAmountLocale } from '../../src/base/amounts.ts';

/** VS Code's display language, for numbers and dates. The host writes it into the page's `lang` attribute. */
export const language =
  typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

/**
 * Applies translations from the script that the page loads first, if any; otherwise texts stay English. Also sets the
 * number format. Import this module before any other, because many modules translate texts when they are loaded.
 */
const { pageWords } = globalThis as { readonly pageWords?: { readonly [key: string]: string } };

if (pageWords !== undefined) l10n.config({ contents: pageWords });
setAmountLocale(language);
