import { expect, test, vi } from 'vitest';
import type { Host } from '../../host.ts';
import type { EditorCause, FilterName, PipelineCause } from '../reason.ts';
import { formatReason } from './reason-messages.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text }, env: { language: 'en' } }));

const host = {} as unknown as Host;

test.each<[FilterName, RegExp]>([
  ['prose', /not usable code. Choose another model/u],
  ['repeats-itself', /not usable code. Choose another model/u],
  ['echo', /here already or that you just removed/u],
  ['just-deleted', /here already or that you just removed/u],
  ['unbalanced', /did not fit/u],
])('formatReason explains the filter %s in a message for the user', (filter, text) => {
  expect(formatReason({ kind: 'filtered', filter }, host).text).toMatch(text);
});

test.each<[EditorCause | PipelineCause, RegExp]>([
  ['language-off', /off for this language/u],
  ['low-acceptance', /No suggestion was requested yet/u],
  ['too-slow', /too late/u],
  ['already-typed', /here already/u],
])('formatReason explains the cause %s in a message for the user', (rule, text) => {
  expect(formatReason({ kind: 'rule', rule }, host).text).toMatch(text);
});
