import * as l10n from '@vscode/l10n';
import { setAmountLocale } from '../../src/base/amounts.ts';

/** The editor's language, for numbers and dates: the page's `lang`, as the host wrote it. */
export const language =
  typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

/**
 * Takes the words of the editor's language from the script that the host has the page load first; without one they stay
 * English. Amounts are written as in that language. Import this module before any other: many say their words as soon
 * as they are loaded.
 */
const { pageWords } = globalThis as { readonly pageWords?: { readonly [key: string]: string } };

if (pageWords !== undefined) l10n.config({ contents: pageWords });
setAmountLocale(language);
