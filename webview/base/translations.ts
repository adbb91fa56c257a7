import * as l10n from '@vscode/l10n';
import { setAmountLocale } from '../../src/base/amounts.ts';

/**
 * VS Code's display language, used for numbers and dates. The host writes the language into the page's `lang`
 * attribute.
 */
export const language =
  typeof document === 'undefined' ? 'en' : document.documentElement.lang || 'en';

/**
 * Translations that the page's first script stores in a global variable. Without that script, texts stay English. This
 * module applies the translations while it is loaded. In the built pages, it replaces `@vscode/l10n`, so that modules
 * can already translate texts while they are loaded.
 */
const { pageTranslations } = globalThis as {
  readonly pageTranslations?: { readonly [key: string]: string };
};

if (pageTranslations !== undefined) l10n.config({ contents: pageTranslations });
setAmountLocale(language);

export { t } from '@vscode/l10n';
