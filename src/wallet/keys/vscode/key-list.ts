import * as vscode from 'vscode';
import type { ManagedKey } from '../../../service/api-keys.ts';
import { atMostText, expiryText, keyName, spendingText } from './key-labels.ts';
import { isSameKey, type OwnKey } from './own-keys.ts';

/** A key in the list: as the service lists it, as this machine knows it, or both. */
export interface ShownKey {
  readonly listed?: ManagedKey;
  readonly own?: OwnKey;
}

export const shownName = ({ listed, own }: ShownKey): string =>
  keyName({ ...own?.kept, ...listed, last6: listed?.last6 ?? own?.last6 ?? '' });

/** `INFERENCE · $1.25 of $5 a month · expires in 5 days`; less of a key that only this machine knows. */
export function keyFacts({ listed, own }: ShownKey, now: number): string {
  const texts =
    listed === undefined
      ? [atMostText(own?.kept ?? {}), expiryText(own?.kept?.expiresAt, now)]
      : [listed.type, spendingText(listed), expiryText(listed.expiresAt, now)];
  return texts.filter((text) => text !== '').join(' · ');
}

/** The keys of this machine that the service does not list are shown too: they can be removed from here. */
export function joined(listed: readonly ManagedKey[], own: readonly OwnKey[]): readonly ShownKey[] {
  const all = listed.map((each): ShownKey => {
    const mine = own.find((one) => isSameKey(one, each));
    return mine === undefined ? { listed: each } : { listed: each, own: mine };
  });
  const rest = own.filter((one) => !listed.some((each) => isSameKey(one, each)));
  return [...all, ...rest.map((one): ShownKey => ({ own: one }))].sort(byUse);
}

const byUse = (a: ShownKey, b: ShownKey): number => rank(b) - rank(a);
const rank = ({ own }: ShownKey): number => (own === undefined ? 0 : own.isInUse ? 2 : 1);

/** Where it is kept here, and whether it is in use; empty for a key of other machines. */
export function keyDetail({ own }: ShownKey): string {
  if (own === undefined) return '';
  const used = own.isInUse ? [vscode.l10n.t('In use here')] : [];
  return [...used, ...kept(own)].join(' · ');
}

function kept({ place, workspaceName }: OwnKey): string[] {
  if (place === 'environment') return [vscode.l10n.t('From the environment')];
  if (place === 'management') return [vscode.l10n.t('Manages keys only')];
  if (place === 'profile') return [vscode.l10n.t('Kept on this machine')];
  return [vscode.l10n.t('For the workspace “{0}”', workspaceName ?? '')];
}
