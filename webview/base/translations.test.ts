import * as l10n from '@vscode/l10n';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'pageTranslations');
  l10n.config({ contents: {} });
});

async function loadTranslations(pageTranslations?: {
  readonly [key: string]: string;
}): Promise<void> {
  vi.resetModules();
  if (pageTranslations !== undefined) Reflect.set(globalThis, 'pageTranslations', pageTranslations);
  await import('./translations.ts');
}

test('texts use the host’s translations, or English if a translation is missing', async () => {
  await loadTranslations({ 'Open {0}': '{0} öffnen' });
  expect(l10n.t('Open {0}', 'a.ts')).toBe('a.ts öffnen');
  expect(l10n.t('Close {0}', 'a.ts')).toBe('Close a.ts');
});

test('texts are English if the host provides no translations', async () => {
  await loadTranslations();
  expect(l10n.t('Open {0}', 'a.ts')).toBe('Open a.ts');
});
