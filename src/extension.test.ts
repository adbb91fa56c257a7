import * as l10n from '@vscode/l10n';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatUsd, setAmountLocale } from './base/amounts.ts';
import { applyDisplayLanguage } from './extension.ts';

const editor = vi.hoisted(() => ({
  l10n: { bundle: undefined as { [key: string]: string } | undefined },
  env: { language: 'de' },
}));

vi.mock('vscode', () => editor);

beforeEach(() => {
  l10n.config({ contents: {} });
});

afterEach(() => {
  l10n.config({ contents: {} });
  setAmountLocale('en');
});

test('applyDisplayLanguage translates texts with VS Code’s localization bundle and leaves missing texts in English', () => {
  editor.l10n.bundle = { 'Open {0}': '{0} öffnen' };
  applyDisplayLanguage();
  expect(l10n.t('Open {0}', 'a.ts')).toBe('a.ts öffnen');
  expect(l10n.t('Close {0}', 'a.ts')).toBe('Close a.ts');
  expect(formatUsd(1.5)).toBe('$1,50');
});

test('applyDisplayLanguage leaves all texts in English without a localization bundle', () => {
  editor.l10n.bundle = undefined;
  applyDisplayLanguage();
  expect(l10n.t('Open {0}', 'a.ts')).toBe('Open a.ts');
});
